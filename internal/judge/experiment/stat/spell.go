package stat

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// signed spells a change in percent with its sign: +4.1, −0.6. From 100 on there are no decimals.
func signed(x Number) string {
	s := plain(Number(math.Abs(float64(x))))
	switch {
	case s == "?" || s == "0.0":
		return strings.Replace(s, "0.0", "±0.0", 1)
	case x < 0:
		return "−" + s
	}
	return "+" + s
}

// plain spells a size in percent; what is not known is "?".
func plain(n Number) string {
	x := float64(n)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "?"
	case math.Abs(x) >= 99.95:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x == math.Trunc(x) && x != 0:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// probability is spelled with two digits that mean something: .008, .03; below .001 so. Other languages have the zero
// before the point.
type probability Number

// In returns it in the language of a catalog.
func (n probability) In(c *say.Catalogue) string {
	p, sign, digits := float64(n), "", 2
	switch {
	case math.IsNaN(p):
		return "?"
	case p < 0.001:
		p, sign, digits = 0.001, "<", 3
	case p < 0.01:
		digits = 3
	}
	text := strconv.FormatFloat(p, 'f', digits, 64)
	if c == nil {
		return sign + strings.TrimPrefix(text, "0")
	}
	return sign + say.Number(text).In(c)
}

// Number is a figure of a verdict that may be unknown: NaN, which JSON spells
// null.
type Number float64

// Known reports whether there is a figure.
func (n Number) Known() bool { return !math.IsNaN(float64(n)) && !math.IsInf(float64(n), 0) }

// MarshalJSON writes six digits, which is more than any experiment knows.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.Known() {
		return []byte("null"), nil
	}
	return []byte(strconv.FormatFloat(float64(n), 'g', 6, 64)), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// percent is a log ratio as a figure of a verdict.
func percent(y float64) Number { return Number(Percent(y)) }
