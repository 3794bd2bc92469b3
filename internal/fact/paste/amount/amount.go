// Package amount reads the numbers and the sizes that programs and people write, each only as exact as
// it was printed.
package amount

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

const (
	// KB is a kilobyte, in bytes.
	KB = 1 << 10
	// MB is a megabyte, in bytes.
	MB = 1 << 20
	// GB is a gigabyte, in bytes.
	GB = 1 << 30
)

// Max bounds an amount in bytes: what is above was misread.
const Max = 1 << 56

// Amount is a number of bytes as it was printed.
type Amount struct {
	Bytes int64
	Step  float64 // how far off it may be; 0: exact
}

var reAmount = regex.New(`^(\d{1,19})(?:[.,](\d{1,3}))?([a-zA-Z]{0,3})$`)

// Of reads "982M", "7,7G", "1.4Gi", "0B", "4096k", "20480" (in base bytes). A point
// or comma parts off decimals; amounts with a letter are printed rounded, but for k, which
// programs use for whole kilobytes.
func Of(s string, base int64) (Amount, bool) {
	m := reAmount.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return Amount{}, false
	}
	mult, rounded := base, base >= MB
	switch strings.ToLower(m[3]) {
	case "":
	case "b":
		mult, rounded = 1, false
	case "k", "ki", "kb", "kib":
		mult, rounded = KB, m[2] != "" || strings.HasPrefix(m[3], "K")
	case "m", "mi", "mb", "mib":
		mult, rounded = MB, true
	case "g", "gi", "gb", "gib":
		mult, rounded = GB, true
	case "t", "ti", "tb", "tib":
		mult, rounded = GB<<10, true
	case "p", "pi", "pb", "pib":
		mult, rounded = GB<<20, true
	default:
		return Amount{}, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return Amount{}, false
	}
	f, step := float64(n), 1.0
	if m[2] != "" {
		d, _ := strconv.ParseFloat("0."+m[2], 64)
		f += d
		step = math.Pow(10, -float64(len(m[2])))
	}
	v := f * float64(mult)
	if v > Max {
		return Amount{}, false
	}
	out := Amount{Bytes: int64(math.Round(v))}
	if rounded && (out.Bytes != 0 || mult >= GB) || m[2] != "" && out.Bytes != 0 { // 0 GB may be 400 MB
		out.Step = step * float64(mult)
	}
	return out, true
}

// Fact makes a fact of an amount.
func (a Amount) Fact(name, of string) part.Fact {
	return part.Fact{Name: name, Of: of, Value: a.Bytes, Unit: "bytes", Rounded: a.Step > 0, Step: a.Step}
}

// Whole reads a number that is printed in digits alone.
func Whole(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && s != "" && s[0] != '+'
}

// Decimal reads a number with a point or a comma.
func Decimal(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.Replace(strings.TrimSuffix(s, "%"), ",", ".", 1), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// Shifted is a number with its point moved by some places, to the right where they are positive, with the decimals that
// it was printed with: 2.573 ms are 0.002573 s, which a division would miss.
func Shifted(v float64, places int) float64 {
	digits, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exp)
	out, _ := strconv.ParseFloat(digits+"e"+strconv.Itoa(n+places), 64)
	return out
}

// Kilobytes reads a whole number of kB.
func Kilobytes(s string) (int64, bool) {
	n, ok := Whole(s)
	if !ok || n > Max/KB {
		return 0, false
	}
	return n * KB, true
}

var reSized = regex.New(`^([\d.]+) ?([kKMGT]?)(i?)B$`)

// Sized reads a size of docker and podman, where MiB is of 1024 and MB of 1000.
func Sized(s string) (Amount, bool) {
	m := reSized.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return Amount{}, false
	}
	v, ok := Decimal(m[1])
	base := 1000.0
	if m[3] != "" {
		base = 1024
	}
	mult := math.Pow(base, float64(strings.Index("_KMGT", strings.ToUpper(m[2] + "_")[:1])))
	if !ok || v*mult > Max {
		return Amount{}, false
	}
	a := Amount{Bytes: int64(math.Round(v * mult))}
	if mult > 1 && v > 0 {
		_, places, _ := strings.Cut(m[1], ".")
		a.Step = math.Pow(10, -float64(len(places))) * mult
	}
	return a, true
}

// Digits says whether a text is a whole number in digits alone.
func Digits(s string) bool {
	_, ok := Whole(s)
	return ok
}
