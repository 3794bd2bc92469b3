package memory

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
)

// In returns the report in the language of a catalog, each text that it does not have in English. Names of parts,
// kinds of process and states stay as they are: to a program they are values.
func (r *Report) In(c *say.Catalogue) *Report {
	if c == nil {
		return r
	}
	out := *r
	out.Verdict, out.Unknown = r.Verdict.Translated(c), gap.In(r.Unknown, c)
	out.Instances, out.OOM = slices.Clone(r.Instances), slices.Clone(r.OOM)
	for i := range out.Instances {
		in := &out.Instances[i]
		in.Options = slices.Clone(in.Options)
		for j := range in.Options {
			o := &in.Options[j]
			o.Title, o.Do, o.Note = o.Title.Translated(c), say.AllIn(o.Do, c), o.Note.Translated(c)
		}
	}
	for i := range out.OOM {
		o := &out.OOM[i]
		o.Why, o.Outcome, o.Notes = o.Why.Translated(c), o.Outcome.Translated(c), say.AllIn(o.Notes, c)
	}
	return &out
}
