package sampled

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/gap"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
)

// In returns the sample in the language of a catalog, each text that it does not have in English. Queries, names of
// processes, functions and wait events stay as they are.
func (d *Sample) In(c *say.Catalogue) *Sample {
	if c == nil {
		return d
	}
	out := *d
	out.Verdict, out.Verdicts = d.Verdict.Translated(c), slow.VerdictsIn(d.Verdicts, c)
	out.Functions, out.Missing = functionsIn(d.Functions, c), gap.In(d.Missing, c)
	return &out
}

// In returns the profile in the language of a catalog, as Sample.In.
func (d *Profile) In(c *say.Catalogue) *Profile {
	if c == nil {
		return d
	}
	out := *d
	out.Verdict, out.Verdicts = d.Verdict.Translated(c), slow.VerdictsIn(d.Verdicts, c)
	out.Functions, out.Callers = functionsIn(d.Functions, c), functionsIn(d.Callers, c)
	out.Groups, out.Missing = slices.Clone(d.Groups), say.AllIn(d.Missing, c)
	for i := range out.Groups {
		out.Groups[i].Meaning = out.Groups[i].Meaning.Translated(c)
	}
	return &out
}

func functionsIn(list []Function, c *say.Catalogue) []Function {
	out := slices.Clone(list)
	for i := range out {
		out[i].Meaning = out[i].Meaning.Translated(c)
	}
	return out
}
