package serverlog

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
)

// In returns the report in the language of a catalog, each text that it does not have in English. Lines of the log,
// statements and names stay as they are.
func (r *Report) In(c *say.Catalogue) *Report {
	if c == nil {
		return r
	}
	out := *r
	out.Findings, out.Crashes, out.Unknown = slices.Clone(r.Findings), slices.Clone(r.Crashes), gap.In(r.Unknown, c)
	for i := range out.Findings {
		f := &out.Findings[i]
		f.Verdict, f.Evidence, f.Do = f.Verdict.Translated(c), say.AllIn(f.Evidence, c), say.AllIn(f.Do, c)
	}
	for i := range out.Crashes {
		out.Crashes[i].Cause = out.Crashes[i].Cause.Translated(c)
	}
	return &out
}
