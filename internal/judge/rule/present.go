package rule

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Keep decides that the present value is as good as any: text says why. Without
// a present value there is no decision.
func (c *Case) Keep(text say.Template, pairs ...any) {
	if p, ok := c.Present().Get(); ok {
		c.Set(p.Setting, text, pairs...)
	}
}

// KeepAs is Keep with a reason that was put together of several: say.All.
func (c *Case) KeepAs(reason say.Message) {
	if p, ok := c.Present().Get(); ok {
		c.SetAs(p.Setting, reason)
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

// Now returns the knob's present number in its base unit, or 0 if the server does not show one; the engine asks no rule
// about a setting that does not exist.
func (c *Case) Now() float64 {
	f, _ := c.Float(c.Address)
	return f
}

// Shown returns the knob's present value as SHOW prints it.
func (c *Case) Shown() string {
	v, _ := c.Value(c.Address)
	return v.Show()
}

// Chosen reports whether the present value of the server's setting was chosen by an administrator: a built-in default
// in postgresql.conf is what initdb wrote.
func (c *Case) Chosen() bool {
	set, _ := c.Instance.Server.Settings.Get()
	s := set[c.Address.Name()]
	return s.Source != "default" && s.Value != s.Boot
}

// OnInstance returns a case that looks at an instance with everything decided.
func (o *Outcome) OnInstance(s *snapshot.Snapshot, in *snapshot.Instance, opt *Options) *Case {
	return &Case{Snapshot: s, Instance: in, Options: opt, Rule: &Rule{}, Outcome: o}
}
