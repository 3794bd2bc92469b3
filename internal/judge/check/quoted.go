package check

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// quoted is the plan whose numbers the findings of a run name: a finding that
// calculates its own value could contradict the plan. It is made once, when the first
// finding asks for it.
type quoted struct {
	made bool
	out  *rule.Outcome // nil: there is none
}

// planned returns what a plan decides for this snapshot; nil if it cannot be made.
func (c *Case) planned() *rule.Outcome {
	if c.quoted.made {
		return c.quoted.out
	}
	o := c.options.Plan
	if o.Profile == "" {
		o.Profile = rule.Mixed
	}
	out, err := rule.Decide(c.Snapshot, rules.All(), rules.OptionsOn(o, c.Snapshot))
	if err != nil {
		out = nil // a pin that the server does not accept; the plan itself reports it
	}
	*c.quoted = quoted{made: true, out: out}
	return c.quoted.out
}

// decided returns the plan's decision on a knob of the case's instance, or on one of the host; nil if there is none.
func (c *Case) decided(a knob.Address) *rule.Decision {
	out := c.planned()
	switch {
	case out == nil:
		return nil
	case a.Layer() != knob.Instance:
		return out.Of("", a)
	case c.Instance == nil:
		return nil
	}
	return out.Of(c.Instance.Key, a)
}

// AtWork returns the figures of the case's instance with its connections at work.
func (c *Case) AtWork() (sizing.AtWork, bool) {
	out := c.planned()
	if out == nil || c.Instance == nil {
		return sizing.AtWork{}, false
	}
	return sizing.AtWorkOf(out, c.Instance.Key)
}

// PlannedBuffers returns the shared_buffers of the plan as SHOW prints it, "" if none is decided, and whether that is
// another than the present one.
func (c *Case) PlannedBuffers() (planned string, changes bool) {
	d := c.decided(knob.PG("shared_buffers"))
	if d == nil {
		return "", false
	}
	return d.Effective.Show(), d.Changes()
}

// PlannedPool names the plan's pool of huge pages if it differs from the one for the
// present settings, for example because the plan changes the shared memory, too; nothing
// if both are the same, or none is planned.
func (c *Case) PlannedPool(present int64) say.Message {
	d := c.decided(knob.Sysctl("vm.nr_hugepages"))
	if d == nil {
		return say.Message{}
	}
	pages, err := strconv.ParseInt(d.Effective.Setting, 10, 64)
	if err != nil || pages <= 0 || pages == present {
		return say.Message{}
	}
	return say.M("This number is for the current settings; with the settings of pgfettle plan, vm.nr_hugepages = "+
		"{planned}.", "planned", d.Effective.Setting)
}
