package render

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// FindingsText sets the findings of two checks side by side: what is gone, what
// stays, what is new. A finding is the same where check and instance are.
func FindingsText(w io.Writer, before, after Check, st Style) error {
	p := newPage(st)
	type which struct{ id, instance string }
	is := map[which]bool{}
	for _, f := range after.Findings {
		is[which{f.ID, f.Instance}] = true
	}
	was := map[which]bool{}
	line := func(word string, t tone, f check.Finding) {
		p.line("  ", p.tint(t, pad(word, len("stays"))), "  ", pad(f.Severity.String(), len("critical")), "  ", clean(f.Title), p.tint(faint, "  ["+clean(f.ID)+"]"))
	}
	gone := 0
	for _, f := range before.Findings {
		w := which{f.ID, f.Instance}
		was[w] = true
		if is[w] {
			line("stays", plain, f)
		} else {
			gone++
			line("gone", green, f)
		}
	}
	fresh := 0
	for _, f := range after.Findings {
		if !was[which{f.ID, f.Instance}] {
			fresh++
			line("new", red, f)
		}
	}
	p.gap()
	p.para("", strong, count(len(before.Findings), "finding", "findings")+" before, "+digits(len(after.Findings))+" after: "+digits(gone)+" gone, "+digits(fresh)+" new.")
	_, err := io.WriteString(w, p.b.String())
	return err
}
