package paste

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
)

// In returns it with its notes and reasons in the language of a catalog.
func (r *Read) In(c *say.Catalogue) *Read {
	if c == nil {
		return r
	}
	out := *r
	out.Parts, out.Conflicts = slices.Clone(r.Parts), slices.Clone(r.Conflicts)
	for i := range out.Parts {
		p := &out.Parts[i]
		p.Unused, p.Notes = gapwords.In(c, p.Unused), slices.Clone(p.Notes)
		for k, n := range p.Notes {
			p.Notes[k] = gapwords.In(c, n)
		}
	}
	for i := range out.Conflicts {
		out.Conflicts[i].Why = gapwords.In(c, out.Conflicts[i].Why)
	}
	return &out
}
