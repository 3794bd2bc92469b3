// Package unit holds the measures of the field and their spellings: bytes as
// PostgreSQL and the kernel write them, durations of settings, percentages,
// server and kernel versions. A quantity is never a bare string or a bare
// number between the reader that made it and the renderer that shows it.
package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is an amount of memory or storage in bytes.
type Bytes int64

// PostgreSQL's multiples: its kB is 1024 bytes, and so on.
const (
	B  Bytes = 1
	KB Bytes = 1 << 10
	MB Bytes = 1 << 20
	GB Bytes = 1 << 30
	TB Bytes = 1 << 40
)

var byteUnits = []struct {
	name string
	size Bytes
}{{"TB", TB}, {"GB", GB}, {"MB", MB}, {"kB", KB}}

// String returns the amount for people: at most three significant digits and
// the unit, as in "45.2 GB". It rounds; GUC does not.
func (b Bytes) String() string {
	neg := ""
	f := float64(b)
	if b < 0 {
		neg, f = "-", -f
	}
	for _, u := range byteUnits {
		v := f / float64(u.size)
		if v < 0.9995 {
			continue
		}
		switch {
		case v >= 99.95:
			return fmt.Sprintf("%s%.0f %s", neg, v, u.name)
		case v >= 9.995:
			return neg + trimZero(fmt.Sprintf("%.1f", v)) + " " + u.name
		default:
			return neg + trimZero(fmt.Sprintf("%.2f", v)) + " " + u.name
		}
	}
	return fmt.Sprintf("%d B", int64(b))
}

func trimZero(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(s, "0")
		s = strings.TrimSuffix(s, ".")
	}
	return s
}

// GUC returns the amount exactly, in the largest of PostgreSQL's units that
// divides it, as SHOW prints it: "6GB", "6020MB", "53092kB", "1000B".
func (b Bytes) GUC() string {
	if b == 0 {
		return "0"
	}
	for _, u := range byteUnits {
		if b%u.size == 0 {
			return fmt.Sprintf("%d%s", b/u.size, u.name)
		}
	}
	return fmt.Sprintf("%dB", b)
}

// Pages returns how many pages of the given size hold b, rounded up; it never
// rounds down, as one page too few keeps a server from starting.
func (b Bytes) Pages(size Bytes) int64 {
	if size <= 0 {
		return 0
	}
	return int64((b + size - 1) / size)
}

// RoundUp returns the smallest multiple of step that is not below b.
func (b Bytes) RoundUp(step Bytes) Bytes { return Bytes(b.Pages(step)) * step }

// RoundDown returns the largest multiple of step that is not above b.
func (b Bytes) RoundDown(step Bytes) Bytes { return b / step * step }

// Scale returns b times f, rounded down; f must not be negative.
func (b Bytes) Scale(f float64) Bytes {
	v := math.Floor(float64(b) * f)
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return Bytes(v)
}

// ParseBytes reads "64GB", "1.5 GB", "512MiB", "8kB", "4096" (bytes). Units are
// binary, as in PostgreSQL. An error names the text.
func ParseBytes(s string) (Bytes, error) {
	t := strings.TrimSpace(s)
	i := 0
	for i < len(t) && (t[i] >= '0' && t[i] <= '9' || t[i] == '.') {
		i++
	}
	num, suffix := t[:i], strings.ToLower(strings.TrimSpace(t[i:]))
	suffix = strings.TrimSuffix(strings.TrimSuffix(suffix, "b"), "i")
	mult, ok := map[string]Bytes{"": 1, "k": KB, "m": MB, "g": GB, "t": TB}[suffix]
	if !ok || num == "" {
		return 0, &Fault{Text: noMemory, Value: s}
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || f*float64(mult) >= math.MaxInt64 {
		return 0, &Fault{Text: muchMemory, Value: s}
	}
	return Bytes(math.Round(f * float64(mult))), nil
}
