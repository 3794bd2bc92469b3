package paste

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

const (
	kb = 1 << 10
	mb = 1 << 20
	gb = 1 << 30
)

// maxAmount bounds an amount in bytes: what is above was misread.
const maxAmount = 1 << 56

// amount is a number of bytes as it was printed.
type amount struct {
	bytes int64
	step  float64 // how far off it may be; 0: exact
}

var reAmount = regex.New(`^(\d{1,19})(?:[.,](\d{1,3}))?([a-zA-Z]{0,3})$`)

// amountOf reads "982M", "7,7G", "1.4Gi", "0B", "4096k", "20480" (in base bytes). A point
// or comma parts off decimals; amounts with a letter are printed rounded, but for k, which
// programs use for whole kilobytes.
func amountOf(s string, base int64) (amount, bool) {
	m := reAmount.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return amount{}, false
	}
	mult, rounded := base, base >= mb
	switch strings.ToLower(m[3]) {
	case "":
	case "b":
		mult, rounded = 1, false
	case "k", "ki", "kb", "kib":
		mult, rounded = kb, m[2] != "" || strings.HasPrefix(m[3], "K")
	case "m", "mi", "mb", "mib":
		mult, rounded = mb, true
	case "g", "gi", "gb", "gib":
		mult, rounded = gb, true
	case "t", "ti", "tb", "tib":
		mult, rounded = gb<<10, true
	case "p", "pi", "pb", "pib":
		mult, rounded = gb<<20, true
	default:
		return amount{}, false
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return amount{}, false
	}
	f, step := float64(n), 1.0
	if m[2] != "" {
		d, _ := strconv.ParseFloat("0."+m[2], 64)
		f += d
		step = math.Pow(10, -float64(len(m[2])))
	}
	v := f * float64(mult)
	if v > maxAmount {
		return amount{}, false
	}
	out := amount{bytes: int64(math.Round(v))}
	if rounded && (out.bytes != 0 || mult >= gb) || m[2] != "" && out.bytes != 0 { // 0 GB may be 400 MB
		out.step = step * float64(mult)
	}
	return out, true
}

// fact makes a fact of an amount.
func (a amount) fact(name, of string) Fact {
	return Fact{Name: name, Of: of, Value: a.bytes, Unit: "bytes", Rounded: a.step > 0, Step: a.step}
}

// whole reads a number that is printed in digits alone.
func whole(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && s != "" && s[0] != '+'
}

// decimal reads a number with a point or a comma.
func decimal(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.Replace(strings.TrimSuffix(s, "%"), ",", ".", 1), 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// kilobytes reads a whole number of kB.
func kilobytes(s string) (int64, bool) {
	n, ok := whole(s)
	if !ok || n > maxAmount/kb {
		return 0, false
	}
	return n * kb, true
}

func count(name, of string, n int64) Fact { return Fact{Name: name, Of: of, Value: n} }

func word(name, of, s string) Fact { return Fact{Name: name, Of: of, Value: s} }

func exact(name, of string, bytes int64) Fact {
	return Fact{Name: name, Of: of, Value: bytes, Unit: "bytes"}
}

func share(name, of string, f float64) Fact {
	return Fact{Name: name, Of: of, Value: f, Unit: "percent"}
}

func lasting(name, of string, seconds float64) Fact {
	return Fact{Name: name, Of: of, Value: seconds, Unit: "s"}
}
