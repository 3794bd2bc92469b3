package render

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

var severityTone = map[check.Severity]tone{check.Critical: red, check.Warning: yellow, check.Notice: cyan, check.Info: faint}

// severityColumn is the width of the longest severity word and two spaces.
const severityColumn = len("CRITICAL") + 2

// CheckText writes a report for a person: what was looked at, the findings
// worst first, what could not be judged, one line of summary.
func CheckText(w io.Writer, d Check, st Style) error {
	p := newPage(st)
	p.subject("Checked", d.Subject)
	for _, f := range d.Findings {
		p.gap()
		p.finding(f)
	}
	p.unknown("Could not be judged", d.Unknown)
	p.gap()
	p.para("", strong, checkSummary(d))
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) finding(f check.Finding) {
	word := pad(strings.ToUpper(f.Severity.String()), severityColumn)
	p.line(p.tint(severityTone[f.Severity], word), p.tint(strong, clean(f.Title)), p.tint(faint, "  ["+clean(f.ID)+"]"))
	about := "the host"
	if f.Instance != "" {
		about = clean(f.Instance)
	}
	p.para("  where    ", plain, about)
	p.para("  seen     ", plain, f.Seen)
	p.para("  why      ", plain, f.Why)
	p.para("  do       ", plain, f.Do)
	p.para("  sources  ", faint, sourceTitles(f.Sources))
}

func checkSummary(d Check) string {
	if len(d.Findings) == 0 {
		if n := len(d.Unknown); n > 0 {
			return "No findings in what could be seen; " + count(n, "fact", "facts") + " could not be had."
		}
		return "No findings."
	}
	n := map[check.Severity]int{}
	for _, f := range d.Findings {
		n[f.Severity]++
	}
	var parts []string
	for sev := check.Critical; sev >= check.Info; sev-- {
		if n[sev] > 0 {
			parts = append(parts, digits(n[sev])+" "+sev.String())
		}
	}
	s := count(len(d.Findings), "finding", "findings") + ": " + strings.Join(parts, ", ")
	if u := len(d.Unknown); u > 0 {
		s += "; " + count(u, "fact", "facts") + " could not be had"
	}
	return s + ". More on one: pgfettle explain " + d.Findings[0].ID
}
