package term

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Compare sets the findings of two checks side by side: what is gone, what
// stays, what is new. A finding is the same where check and instance are.
func Compare(w io.Writer, before, after document.Check, st Style) error {
	p := newPage(st)
	before.Report, after.Report = before.Report.In(st.Words), after.Report.In(st.Words)
	type which struct{ id, instance string }
	is := map[which]bool{}
	for _, f := range after.Findings {
		is[which{f.ID, f.Instance}] = true
	}
	was := map[which]bool{}
	stays, away, added := p.Say("show/findings/stays", "stays"), p.Say("show/findings/gone", "gone"), p.Say("show/findings/new", "new")
	width := max(typeset.Width(stays), typeset.Width(away), typeset.Width(added))
	line := func(word string, t tone, f check.Finding) {
		p.line("  ", p.tint(t, typeset.Pad(word, width)), "  ", typeset.Pad(p.Word(outline.SeverityWords[f.Severity]), p.severityColumn()-2), "  ", typeset.Clean(f.Title), p.tint(faint, "  ["+typeset.Clean(f.ID)+"]"))
	}
	gone := 0
	for _, f := range before.Findings {
		w := which{f.ID, f.Instance}
		was[w] = true
		if is[w] {
			line(stays, plain, f)
		} else {
			gone++
			line(away, green, f)
		}
	}
	fresh := 0
	for _, f := range after.Findings {
		if !was[which{f.ID, f.Instance}] {
			fresh++
			line(added, red, f)
		}
	}
	p.gap()
	p.para("", strong, p.Many("show/findings/summary", len(before.Findings), "{n} finding before, {after} after: {gone} gone, {fresh} new.", "{n} findings before, {after} after: {gone} gone, {fresh} new.", "after", len(after.Findings), "gone", gone, "fresh", fresh))
	_, err := io.WriteString(w, p.b.String())
	return err
}
