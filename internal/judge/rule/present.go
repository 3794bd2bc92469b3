package rule

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Keep decides that the present value is as good as any: text says why. Without
// a present value there is no decision.
func (c *Case) Keep(text string, pairs ...any) {
	if p, ok := c.present().Get(); ok {
		c.Set(p.Setting, text, pairs...)
	}
}

// Seconds returns a time setting in seconds; ok is false when it is not known
// or has a special value below zero.
func (c *Case) Seconds(a knob.Address) (float64, bool) {
	v, ok := c.Value(a)
	if !ok {
		return 0, false
	}
	n, err := unit.Figure(v.Setting)
	d, isTime := unit.TimeUnit(v.Unit)
	if err != nil || !isTime || n < 0 || n > math.MaxInt64 { // 2^63 us are the longest that a setting could have
		return 0, false
	}
	return n * d.Seconds(), true
}

// count is a number of things for people: "1 processor", "16 processors".
type count struct {
	n    int
	noun string // takes an s for more than one
}

func (n count) String() string { return countOf(n.n, n.noun, n.noun+"s") }

// countOf is count for a noun whose plural is another word.
func countOf(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return say.M("", "{n} "+many, "n", n).String()
}

func processors(n int) count { return count{n, "processor"} }

// now returns the knob's present number in its base unit, or 0 where the server
// does not show one; the engine asks no rule about a setting that is not there.
func (c *Case) now() float64 {
	f, _ := c.Float(c.address)
	return f
}

// shown returns the knob's present value as SHOW prints it.
func (c *Case) shown() string {
	v, _ := c.Value(c.address)
	return v.Show()
}

// chosen says whether somebody has chosen the present value of the server's
// setting: a built-in default that stands in postgresql.conf is what initdb wrote.
func (c *Case) chosen() bool {
	set, _ := c.Instance.Server.Settings.Get()
	s := set[c.address.Name()]
	return s.Source != "default" && s.Value != s.Boot
}
