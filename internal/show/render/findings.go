package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// FindingsText sets the findings of two checks side by side: what is gone, what
// stays, what is new. A finding is the same where check and instance are.
func FindingsText(w io.Writer, before, after Check, st Style) error {
	p := newPage(st)
	before.Report, after.Report = before.Report.In(st.Words), after.Report.In(st.Words)
	type which struct{ id, instance string }
	is := map[which]bool{}
	for _, f := range after.Findings {
		is[which{f.ID, f.Instance}] = true
	}
	was := map[which]bool{}
	stays, away, added := p.say("show/findings/stays", "stays"), p.say("show/findings/gone", "gone"), p.say("show/findings/new", "new")
	width := max(runes(stays), runes(away), runes(added))
	line := func(word string, t tone, f check.Finding) {
		p.line("  ", p.tint(t, pad(word, width)), "  ", pad(p.word(severityWords[f.Severity]), p.severityColumn()-2), "  ", clean(f.Title), p.tint(faint, "  ["+clean(f.ID)+"]"))
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
	p.para("", strong, p.many("show/findings/summary", len(before.Findings), "{n} finding before, {after} after: {gone} gone, {fresh} new.", "{n} findings before, {after} after: {gone} gone, {fresh} new.", "after", len(after.Findings), "gone", gone, "fresh", fresh))
	_, err := io.WriteString(w, p.b.String())
	return err
}
