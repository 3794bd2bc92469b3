package unit

import (
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
	"us": {usec: 1}, "ms": {usec: 1000}, "s": {usec: 1e6}, "min": {usec: 60e6}, "h": {usec: 3600e6},
	"d": {usec: 86400e6},
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
	n, err := Figure(setting)
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
	if us >= math.MaxInt64 {
		return setting + base
	}
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
// which unit was expected, or that the number is none: what is not finite, and
// memory or time beyond 64 bits of bytes or microseconds, no setting takes.
func ParseGUC(s, base string) (float64, error) { return parseGUC(s, base, false) }

// ParseInteger is ParseGUC for a setting that is known to be an integer: to the
// server 010 is eight there, as in C.
func ParseInteger(s, base string) (float64, error) { return parseGUC(s, base, true) }

func parseGUC(s, base string, whole bool) (float64, error) {
	n, rest, ok := CNumber(s, whole)
	suffix := strings.Trim(rest, Blanks)
	if !ok || math.IsInf(n, 0) || suffix != "" && !letter(suffix[0]) {
		return 0, &Fault{Text: noNumber, Value: s}
	}
	b, okBase := gucUnits[base]
	if suffix == "" {
		return fits(s, n, b)
	}
	u, okUnit := gucUnits[suffix]
	switch {
	case !okBase:
		return 0, &Fault{Text: hasNoUnit, Value: s, Unit: suffix}
	case !okUnit || (b.bytes > 0) != (u.bytes > 0):
		if b.bytes > 0 {
			return 0, &Fault{Text: memoryUnits, Value: s}
		}
		return 0, &Fault{Text: timeUnits, Value: s}
	case b.bytes > 0:
		return fits(s, math.RoundToEven(n*float64(u.bytes)/float64(b.bytes)), b)
	default:
		v := n * float64(u.usec) / float64(b.usec)
		if v != math.Trunc(v) && v < 1 { // real-valued times (vacuum_cost_delay) keep their fraction
			return v, nil
		}
		return fits(s, math.RoundToEven(v), b)
	}
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '1' && c <= '9' } // 8kB

// fits refuses an amount of the base unit that 64 bits of bytes or microseconds
// do not hold: no integer setting goes beyond 2^31 of its unit, the largest of
// which are blocks of 32 kB and days.
func fits(s string, n float64, base gucUnit) (float64, error) {
	if !(math.Abs(n)*max(float64(base.bytes), float64(base.usec)) < math.MaxInt64) &&
		(base.bytes > 0 || base.usec > 0) {
		return 0, &Fault{Text: tooLarge, Value: s}
	}
	return n, nil
}

// Figure reads a number that a program printed: digits with a sign, a point or
// an exponent, all of the text. What only a person or a language writes (inf,
// nan, 0x10, 1_000) and what a double cannot hold is an error.
func Figure(s string) (float64, error) {
	if strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, &Fault{Text: noNumber, Value: s}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, &Fault{Text: noNumber, Value: s}
	}
	return f, nil
}
