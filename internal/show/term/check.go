package term

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var severityTone = map[check.Severity]tone{check.Critical: red, check.Warning: yellow, check.Notice: cyan, check.Info: faint}

// severityColumn is the width of the longest severity word and two spaces.
func (p *page) severityColumn() int {
	width := 0
	for _, m := range outline.SeverityWords {
		width = max(width, typeset.Width(p.Word(m)))
	}
	return width + 2
}

// Check writes a report for a person: what was looked at, the findings
// worst first, what could not be judged, one line of summary.
func Check(w io.Writer, d document.Check, st Style) error {
	p := newPage(st)
	d.Report = d.Report.In(st.Words)
	p.subject(p.Say("show/check/about", "Checked"), d.Subject)
	for _, g := range outline.Alike(d.Findings) {
		p.gap()
		p.findings(g)
	}
	if d.All {
		for _, a := range d.Accepted {
			p.gap()
			p.findings([]check.Finding{a.Finding})
			p.para(p.label(outline.LabelAccepted), plain, p.Word(outline.Until(a))+p.Colon()+a.Reason)
		}
	}
	p.unknown(d.Unknown)
	p.unjudged(d.Unjudged)
	p.gap()
	p.para("", strong, p.CheckSummary(d))
	if n := len(d.Accepted); n > 0 {
		p.para("", plain, p.Kept(d))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// unjudged lists the checks that could not be judged, after the facts that they
// rest on, by the reason.
func (p *page) unjudged(list []check.Unjudged) {
	for _, g := range outline.UnjudgedBy(list) {
		p.para("  ~ ", plain, p.UnjudgedLine(g))
	}
}

func (p *page) findings(g []check.Finding) {
	f := g[0]
	word := typeset.Pad(strings.ToUpper(p.Word(outline.SeverityWords[f.Severity])), p.severityColumn())
	p.line(p.tint(severityTone[f.Severity], word), p.tint(strong, typeset.Clean(f.Title)), p.tint(faint, "  ["+typeset.Clean(f.ID)+"]"))
	p.each(g, outline.LabelSeen, func(f check.Finding) string { return f.Seen.String() })
	p.para(p.label(outline.LabelWhy), plain, f.Why)
	p.each(g, outline.LabelDo, func(f check.Finding) string { return f.Do.String() })
	p.para(p.label(outline.LabelSources), faint, outline.SourceTitles(f.Sources))
}

// each writes what one field of the findings says: once where all say the same,
// else each with its place.
func (p *page) each(g []check.Finding, label say.Message, of func(check.Finding) string) {
	same := true
	for _, f := range g {
		same = same && of(f) == of(g[0])
	}
	lead := p.label(label)
	if same {
		if label.ID == outline.LabelSeen.ID {
			p.para(p.label(outline.LabelWhere), plain, p.Places(g))
		}
		p.para(lead, plain, of(g[0]))
		return
	}
	for _, f := range g {
		p.para(lead, plain, p.Place(f)+p.Colon()+of(f))
		lead = typeset.Pad("", typeset.Width(lead))
	}
}
