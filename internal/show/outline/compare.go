package outline

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// Compare sets the findings of two checks side by side: what is gone, what
// stays, what is new. A finding is the same where check and instance are.
func Compare(before, after document.Check, c *say.Catalogue) Outline {
	p := WordsIn(c)
	before.Report, after.Report = before.Report.In(c), after.Report.In(c)
	type which struct{ id, instance string }
	findings := func(d document.Check) map[which]bool {
		out := map[which]bool{}
		for _, f := range d.Findings {
			out[which{f.ID, f.Instance}] = true
		}
		return out
	}
	was, is := findings(before), findings(after)
	var out Fields
	line := func(word string, t Tone, f check.Finding) {
		field := FieldOf(word, p.Severity(f.Severity), p.Colon(), f.Title, Faint("  ["+f.ID+"]"))
		field.Tone = t
		out.List = append(out.List, field)
	}
	gone, fresh := 0, 0
	for _, f := range before.Findings {
		if is[which{f.ID, f.Instance}] {
			line(p.Say("remains"), ToneNone, f)
		} else {
			gone++
			line(p.Say("resolved"), ToneGood, f)
		}
	}
	for _, f := range after.Findings {
		if !was[which{f.ID, f.Instance}] {
			fresh++
			line(p.Say("new"), ToneBad, f)
		}
	}
	var o Outline
	o.Add(out)
	o.Summary(p.Many(len(before.Findings),
		"{n} finding before, {after} after: {gone} resolved, {fresh} new.",
		"{n} findings before, {after} after: {gone} resolved, {fresh} new.", "after", len(after.Findings), "gone", gone,
		"fresh", fresh))
	return o
}
