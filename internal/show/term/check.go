package term

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var severityTone = map[check.Severity]tone{check.Critical: red, check.Warning: yellow, check.Notice: cyan,
	check.Info: faint}

// severityColumn is the width of the longest severity word and two spaces.
func (p *page) severityColumn() int {
	width := 0
	for _, m := range outline.SeverityWords {
		width = max(width, typeset.Width(p.Word(m)))
	}
	return width + 2
}

func (p *page) findings(g []check.Finding) {
	f := g[0]
	word := typeset.Pad(strings.ToUpper(p.Word(outline.SeverityWords[f.Severity])), p.severityColumn())
	p.line(p.tint(severityTone[f.Severity], word), p.tint(strong, typeset.Clean(f.Title)),
		p.tint(faint, "  ["+typeset.Clean(f.ID)+"]"))
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
