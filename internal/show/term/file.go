package term

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// File writes the report for a person: the findings of one kind together,
// worst first, each with its place.
func File(w io.Writer, d document.File, st Style) error {
	p := newPage(st)
	d.Report = d.Report.In(st.Words)
	for _, l := range p.FileSubject(d) {
		p.para("", plain, l)
	}
	for _, g := range outline.Alike(outline.FileFindings(d)) {
		p.gap()
		f := g[0]
		word := typeset.Pad(p.Word(outline.SeverityWords[f.Severity]), p.severityColumn())
		p.line(p.tint(severityTone[f.Severity], strings.ToUpper(word)), p.tint(strong, typeset.Clean(f.Title)), p.tint(faint, "  ["+typeset.Clean(f.ID)+"]"))
		lead := p.label(outline.LabelSeen)
		for _, f := range g {
			p.para(lead, plain, p.Place(f)+p.Colon()+f.Seen.String())
			lead = typeset.Pad("", typeset.Width(lead))
		}
		p.para(p.label(outline.LabelWhy), plain, f.Why)
		same := true
		for _, f := range g {
			same = same && f.Do.Equal(g[0].Do)
		}
		lead = p.label(outline.LabelDo)
		for i, f := range g {
			switch {
			case same && i > 0:
			case same:
				p.para(lead, plain, f.Do.String())
			default:
				p.para(lead, plain, p.Place(f)+p.Colon()+f.Do.String())
				lead = typeset.Pad("", typeset.Width(lead))
			}
		}
		p.para(p.label(outline.LabelSources), faint, outline.SourceTitles(f.Sources))
	}
	if d.All {
		for _, a := range d.Accepted {
			f := a.Finding.Finding
			f.Instance = outline.FilePlace(a.Finding)
			p.gap()
			p.findings([]check.Finding{f})
			p.para(p.label(outline.LabelAccepted), plain, p.Word(outline.Until(check.Accepted{Expires: a.Expires}))+p.Colon()+a.Reason)
		}
	}
	p.gap()
	p.para("", strong, p.FileSummary(d))
	if len(d.Accepted) > 0 {
		p.para("", plain, p.Kept(outline.AcceptedFile(d)))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
