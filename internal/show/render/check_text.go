package render

import (
	"io"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

var severityTone = map[check.Severity]tone{check.Critical: red, check.Warning: yellow, check.Notice: cyan, check.Info: faint}

// severityColumn is the width of the longest severity word and two spaces.
func (p *page) severityColumn() int {
	width := 0
	for _, m := range severityWords {
		width = max(width, runes(p.word(m)))
	}
	return width + 2
}

// CheckText writes a report for a person: what was looked at, the findings
// worst first, what could not be judged, one line of summary.
func CheckText(w io.Writer, d Check, st Style) error {
	p := newPage(st)
	d.Report = d.Report.In(st.Words)
	p.subject(p.say("show/check/about", "Checked"), d.Subject)
	for _, g := range alike(d.Findings) {
		p.gap()
		p.findings(g)
	}
	if d.All {
		for _, a := range d.Accepted {
			p.gap()
			p.findings([]check.Finding{a.Finding})
			p.para(p.label(labelAccepted), plain, p.word(until(a))+p.colon()+a.Reason)
		}
	}
	p.unknown(d.Unknown)
	p.unjudged(d.Unjudged)
	p.gap()
	p.para("", strong, p.checkSummary(d))
	if n := len(d.Accepted); n > 0 {
		p.para("", plain, p.accepted(d))
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// accepted names what the policy keeps out of the findings.
func (p *page) accepted(d Check) string {
	var ids []string
	for _, a := range d.Accepted {
		if !slices.Contains(ids, a.ID) {
			ids = append(ids, a.ID)
		}
	}
	s := p.many("show/check/accepted", len(d.Accepted), "{n} finding is accepted by {file}: {ids}.", "{n} findings are accepted by {file}: {ids}.",
		"file", clean(d.Policy), "ids", strings.Join(ids, ", "))
	if !d.All {
		s += " " + p.say("show/check/all", "--all shows more.")
	}
	return s
}

// until is how long an acceptance holds.
func until(a check.Accepted) say.Message {
	if a.Expires == check.Never {
		return say.M("show/until/never", "without an end")
	}
	return say.M("show/until/day", "until {day}", "day", a.Expires)
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
	word := pad(strings.ToUpper(p.word(severityWords[f.Severity])), p.severityColumn())
	p.line(p.tint(severityTone[f.Severity], word), p.tint(strong, clean(f.Title)), p.tint(faint, "  ["+clean(f.ID)+"]"))
	p.each(g, labelSeen, func(f check.Finding) string { return f.Seen })
	p.para(p.label(labelWhy), plain, f.Why)
	p.each(g, labelDo, func(f check.Finding) string { return f.Do })
	p.para(p.label(labelSources), faint, sourceTitles(f.Sources))
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
		if label.ID == labelSeen.ID {
			p.para(p.label(labelWhere), plain, p.places(g))
		}
		p.para(lead, plain, of(g[0]))
		return
	}
	for _, f := range g {
		p.para(lead, plain, p.place(f)+p.colon()+of(f))
		lead = pad("", runes(lead))
	}
}

// place is where a finding is, for other programs; page.place is for people.
func place(f check.Finding) string { return newPage(Style{}).place(f) }

func (p *page) place(f check.Finding) string {
	if f.Instance == "" {
		return p.say("show/place/host", "the host")
	}
	return clean(f.Instance)
}

func (p *page) places(g []check.Finding) string {
	var out []string
	for _, f := range g {
		out = append(out, p.place(f))
	}
	return strings.Join(out, ", ")
}

// missing counts the facts that were not to be had.
func missing(n int) say.Message {
	return say.N("show/facts", int64(n), "{n} fact could not be had", "{n} facts could not be had")
}

func (p *page) checkSummary(d Check) string {
	unjudged, most := unjudged(d.Unjudged)
	if len(d.Findings) == 0 {
		switch n := len(d.Unknown); {
		case unjudged > 0:
			return p.say("show/check/incomplete", "The check is incomplete: {checks} could not be judged ({facts}; mostly: {reason}). The others found nothing.",
				"checks", checksOf(unjudged), "facts", missing(n), "reason", clean(most))
		case n > 0:
			return p.say("show/check/none_seen", "No findings in what could be seen; {facts}.", "facts", missing(n))
		}
		return p.say("show/check/none", "No findings.")
	}
	n := map[check.Severity]int{}
	for _, f := range d.Findings {
		n[f.Severity]++
	}
	var parts []string
	for sev := check.Critical; sev >= check.Info; sev-- {
		if n[sev] > 0 {
			parts = append(parts, p.severityCount(sev, n[sev]))
		}
	}
	findings := say.N("show/check/findings", int64(len(d.Findings)), "{n} finding", "{n} findings")
	list, id := strings.Join(parts, ", "), d.Findings[0].ID
	switch u := len(d.Unknown); {
	case unjudged > 0:
		return p.say("show/check/summary_unjudged", "{findings}: {parts}; {checks} could not be judged ({facts}; mostly: {reason}). More on one: pgfettle explain {id}",
			"findings", findings, "parts", list, "checks", checksOf(unjudged), "facts", missing(u), "reason", clean(most), "id", id)
	case u > 0:
		return p.say("show/check/summary_missing", "{findings}: {parts}; {facts}. More on one: pgfettle explain {id}", "findings", findings, "parts", list, "facts", missing(u), "id", id)
	}
	return p.say("show/check/summary", "{findings}: {parts}. More on one: pgfettle explain {id}", "findings", findings, "parts", list, "id", id)
}

// checksOf counts checks.
func checksOf(n int) say.Message { return say.N("show/checks", int64(n), "{n} check", "{n} checks") }

// unjudged counts the checks that could not be judged, each once for however
// many instances, and returns the reason of most; of several the first.
func unjudged(list []check.Unjudged) (n int, most string) {
	ids, reasons := map[string]bool{}, map[string]int{}
	for _, u := range list {
		ids[u.ID] = true
		if reasons[u.Reason]++; reasons[u.Reason] > reasons[most] {
			most = u.Reason
		}
	}
	return len(ids), most
}
