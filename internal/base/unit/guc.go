package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Setting units as pg_settings.unit spells them, with their size in bytes or
// in microseconds. Exactly one of the two is set.
type gucUnit struct {
	bytes Bytes
	usec  int64
}

var gucUnits = map[string]gucUnit{
	"B": {bytes: 1}, "kB": {bytes: KB}, "MB": {bytes: MB}, "GB": {bytes: GB}, "TB": {bytes: TB},
	"8kB": {bytes: 8 * KB}, "16kB": {bytes: 16 * KB}, "32kB": {bytes: 32 * KB}, "4kB": {bytes: 4 * KB},
	"us": {usec: 1}, "ms": {usec: 1000}, "s": {usec: 1e6}, "min": {usec: 60e6}, "h": {usec: 3600e6}, "d": {usec: 86400e6},
}

// BlockUnits reports whether u is a unit that pg_settings uses for memory, and its size.
func MemoryUnit(u string) (Bytes, bool) {
	g, ok := gucUnits[u]
	return g.bytes, ok && g.bytes > 0
}

// TimeUnit reports whether u is a unit of time of pg_settings, and its length.
func TimeUnit(u string) (time.Duration, bool) {
	g, ok := gucUnits[u]
	return time.Duration(g.usec) * time.Microsecond, ok && g.usec > 0
}

// ShowGUC returns how SHOW spells a numeric setting given in its base unit:
// ("16384", "8kB") is "128MB", ("300", "s") is "5min", ("-1", any) is "-1".
// A text that is not a number, or a unit that is none, comes back as it is.
func ShowGUC(setting, base string) string {
	g, ok := gucUnits[base]
	if !ok {
		return setting
	}
	n, err := strconv.ParseFloat(setting, 64)
	if err != nil || n <= 0 { // PostgreSQL prints special values (-1, 0) without a unit
		return setting
	}
	if g.bytes > 0 {
		f := n * float64(g.bytes)
		if f != math.Trunc(f) || f >= math.MaxInt64 {
			return setting + base
		}
		return Bytes(f).GUC()
	}
	us := n * float64(g.usec)
	for _, u := range []string{"d", "h", "min", "s", "ms", "us"} {
		q := us / float64(gucUnits[u].usec)
		if q == math.Trunc(q) {
			return strconv.FormatFloat(q, 'f', -1, 64) + u
		}
	}
	return setting + base
}

// ParseGUC converts what a person wrote for a numeric setting into its base
// unit: ("128MB", "8kB") is 16384, ("5min", "s") is 300, ("16384", "8kB") is
// 16384. Rounding is PostgreSQL's: to the nearest base unit. An error says
// which unit was expected.
func ParseGUC(s, base string) (float64, error) {
	t := strings.TrimSpace(s)
	i := len(t)
	for i > 0 && !(t[i-1] >= '0' && t[i-1] <= '9' || t[i-1] == '.') {
		i--
	}
	num, suffix := t[:i], strings.TrimSpace(t[i:])
	n, err := strconv.ParseFloat(num, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	if suffix == "" {
		return n, nil
	}
	b, okBase := gucUnits[base]
	u, okUnit := gucUnits[suffix]
	switch {
	case !okBase:
		return 0, fmt.Errorf("%q has the unit %s, but this setting has none", s, suffix)
	case !okUnit || (b.bytes > 0) != (u.bytes > 0):
		if b.bytes > 0 {
			return 0, fmt.Errorf("%q: valid units are B, kB, MB, GB and TB", s)
		}
		return 0, fmt.Errorf("%q: valid units are us, ms, s, min, h and d", s)
	case b.bytes > 0:
		return math.RoundToEven(n * float64(u.bytes) / float64(b.bytes)), nil
	default:
		v := n * float64(u.usec) / float64(b.usec)
		if v != math.Trunc(v) && v < 1 { // real-valued times (vacuum_cost_delay) keep their fraction
			return v, nil
		}
		return math.RoundToEven(v), nil
	}
}
