package oom

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
)

// In returns the report in the language of a catalog, each text that it does not have in English. Times stay as they
// are: to a program they are values.
func (d *Report) In(c *say.Catalogue) *Report {
	if c == nil {
		return d
	}
	out := *d
	out.Kills, out.Missing = slices.Clone(d.Kills), gap.In(d.Missing, c)
	for i := range out.Kills {
		k := &out.Kills[i]
		if k.Victim != nil {
			v := k.Victim.in(c)
			k.Victim = &v
		}
		k.Top = slices.Clone(k.Top)
		for j := range k.Top {
			k.Top[j] = k.Top[j].in(c)
		}
		k.Cause, k.Also = k.Cause.in(c), slices.Clone(k.Also)
		for j := range k.Also {
			k.Also[j] = k.Also[j].in(c)
		}
		k.Prevention = slices.Clone(k.Prevention)
		for j := range k.Prevention {
			p := &k.Prevention[j]
			p.What, p.Why = p.What.Translated(c), p.Why.Translated(c)
		}
		k.After.Text = k.After.Text.Translated(c)
		k.Missing = gap.In(k.Missing, c)
	}
	return &out
}

func (t Task) in(c *say.Catalogue) Task {
	t.RoleFrom = t.RoleFrom.Translated(c)
	return t
}

func (x Cause) in(c *say.Catalogue) Cause {
	x.Text, x.Evidence = x.Text.Translated(c), say.AllIn(x.Evidence, c)
	return x
}
