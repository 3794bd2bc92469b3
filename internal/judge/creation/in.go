package creation

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// In returns the plan in the language of a catalog, each text that it does not have in English.
func (p *Plan) In(c *say.Catalogue) *Plan {
	if c == nil {
		return p
	}
	out := *p
	out.Settings, out.Steps, out.Host = slices.Clone(p.Settings), slices.Clone(p.Steps), slices.Clone(p.Host)
	for i := range out.Settings {
		out.Settings[i].Reason = out.Settings[i].Reason.Translated(c)
	}
	for i := range out.Steps {
		out.Steps[i].Text = out.Steps[i].Text.Translated(c)
	}
	for i := range out.Host {
		out.Host[i].Title, out.Host[i].Reason = c.Text(out.Host[i].Title), out.Host[i].Reason.Translated(c)
	}
	out.Warnings = slices.Clone(p.Warnings)
	for i, w := range out.Warnings {
		out.Warnings[i] = w.Translated(c)
	}
	out.Left = slices.Clone(p.Left)
	for i, l := range out.Left {
		out.Left[i].Title, out.Left[i].Detail = c.Text(l.Title), l.Detail.Translated(c)
	}
	out.NotCarried = slices.Clone(p.NotCarried)
	for i := range out.NotCarried {
		out.NotCarried[i].Reason = out.NotCarried[i].Reason.Translated(c)
	}
	out.Trial.Reason = p.Trial.Reason.Translated(c)
	return &out
}
