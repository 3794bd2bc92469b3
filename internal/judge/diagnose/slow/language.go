package slow

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// In returns the comparison in the language of a catalog, each text that it does not have in English. Plans stay as
// EXPLAIN wrote them.
func (d *Report) In(c *say.Catalogue) *Report {
	if c == nil {
		return d
	}
	out := *d
	out.Verdict, out.Verdicts = d.Verdict.Translated(c), VerdictsIn(d.Verdicts, c)
	out.RuledOut, out.Missing = say.AllIn(d.RuledOut, c), say.AllIn(d.Missing, c)
	return &out
}

// In returns the reading in the language of a catalog, as Report.In.
func (d *Reading) In(c *say.Catalogue) *Reading {
	if c == nil {
		return d
	}
	out := *d
	out.Verdict, out.Verdicts = d.Verdict.Translated(c), VerdictsIn(d.Verdicts, c)
	out.Inconsistent, out.Missing = say.AllIn(d.Inconsistent, c), say.AllIn(d.Missing, c)
	return &out
}

// VerdictsIn returns verdicts in the language of a catalog.
func VerdictsIn(list []Verdict, c *say.Catalogue) []Verdict {
	out := slices.Clone(list)
	for i := range out {
		v := &out[i]
		v.Title, v.Evidence, v.Next = v.Title.Translated(c), say.AllIn(v.Evidence, c), say.AllIn(v.Next, c)
	}
	return out
}
