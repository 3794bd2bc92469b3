package say

import (
	"fmt"
	"strconv"
	"time"
)

// Span is a time in seconds, for people: "45 s", "12 min", "30 h", "4 days". Below two of the
// next unit the smaller one is kept, so that the rounding never hides more than half.
type Span float64

// In returns it in the language of a catalog.
func (s Span) In(c *Catalogue) string {
	switch {
	case s < 120:
		return c.number(fmt.Sprintf("%.0f s", float64(s)))
	case s < 120*60:
		return c.number(fmt.Sprintf("%.0f min", float64(s)/60))
	case s < 48*3600:
		return c.number(fmt.Sprintf("%.0f h", float64(s)/3600))
	}
	days := int64(float64(s)/86400 + 0.5)
	return N(days, "{n} day", "{n} days").In(c)
}

// String returns it in English.
func (s Span) String() string { return s.In(nil) }

// Measure returns the seconds, for programs.
func (s Span) Measure() (float64, string) { return float64(s), "s" }

// Duration is a time that English has as Go writes it: "5s", "2m0s".
type Duration time.Duration

// String returns it in English.
func (d Duration) String() string { return time.Duration(d).String() }

// In returns it in the language of a catalog.
func (d Duration) In(c *Catalogue) string {
	switch is := time.Duration(d); {
	case c == nil:
		return is.String()
	case is < time.Second:
		return c.number(strconv.FormatInt(is.Milliseconds(), 10) + " ms")
	default:
		return Span(is.Seconds()).In(c)
	}
}
