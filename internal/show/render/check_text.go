package render

import (
	"io"
	"slices"
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
	for _, g := range alike(d.Findings) {
		p.gap()
		p.findings(g)
	}
	if d.All {
		for _, a := range d.Accepted {
			p.gap()
			p.findings([]check.Finding{a.Finding})
			p.para("  accepted ", plain, until(a)+": "+a.Reason)
		}
	}
	p.unknown("Could not be judged", d.Unknown)
	p.gap()
	p.para("", strong, checkSummary(d))
	if n := len(d.Accepted); n > 0 {
		p.para("", plain, accepted(d))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// accepted names what the policy keeps out of the findings.
func accepted(d Check) string {
	var ids []string
	for _, a := range d.Accepted {
		if !slices.Contains(ids, a.ID) {
			ids = append(ids, a.ID)
		}
	}
	s := count(len(d.Accepted), "finding is", "findings are") + " accepted by " + clean(d.Policy) + ": " + strings.Join(ids, ", ") + "."
	if !d.All {
		s += " --all shows more."
	}
	return s
}

// until is how long an acceptance holds.
func until(a check.Accepted) string {
	if a.Expires == check.Never {
		return "without an end"
	}
	return "until " + a.Expires
}

// alike gathers findings of one check that differ only in where and what was
// seen, so that ten instances with one fault are one paragraph. They stand side
// by side in a report.
func alike(list []check.Finding) [][]check.Finding {
	var out [][]check.Finding
	for _, f := range list {
		if n := len(out); n > 0 {
			if g := out[n-1][0]; g.ID == f.ID && g.Severity == f.Severity && g.Title == f.Title && g.Why == f.Why {
				out[n-1] = append(out[n-1], f)
				continue
			}
		}
		out = append(out, []check.Finding{f})
	}
	return out
}

func (p *page) findings(g []check.Finding) {
	f := g[0]
	word := pad(strings.ToUpper(f.Severity.String()), severityColumn)
	p.line(p.tint(severityTone[f.Severity], word), p.tint(strong, clean(f.Title)), p.tint(faint, "  ["+clean(f.ID)+"]"))
	p.each(g, "  seen     ", func(f check.Finding) string { return f.Seen })
	p.para("  why      ", plain, f.Why)
	p.each(g, "  do       ", func(f check.Finding) string { return f.Do })
	p.para("  sources  ", faint, sourceTitles(f.Sources))
}

// each writes what one field of the findings says: once where all say the same,
// else each with its place.
func (p *page) each(g []check.Finding, lead string, of func(check.Finding) string) {
	same := true
	for _, f := range g {
		same = same && of(f) == of(g[0])
	}
	if same {
		if lead == "  seen     " {
			p.para("  where    ", plain, places(g))
		}
		p.para(lead, plain, of(g[0]))
		return
	}
	for _, f := range g {
		p.para(lead, plain, place(f)+": "+of(f))
		lead = pad("", runes(lead))
	}
}

func place(f check.Finding) string {
	if f.Instance == "" {
		return "the host"
	}
	return clean(f.Instance)
}

func places(g []check.Finding) string {
	var out []string
	for _, f := range g {
		out = append(out, place(f))
	}
	return strings.Join(out, ", ")
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
