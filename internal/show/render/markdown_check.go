package render

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// CheckMarkdown writes a report in Markdown: the findings as a table, then each
// with its details, then what could not be judged.
func CheckMarkdown(w io.Writer, d Check, st Style) error {
	p := newPage(st)
	d.Report = d.Report.In(st.Words)
	var o Outline
	o.title("pgfettle check", d.Subject.Host)
	p.subjectOutline(&o, p.say("show/check/about", "Checked"), d.Subject)
	o.para(bold(p.checkSummary(d)))
	if len(d.Accepted) > 0 {
		o.para(p.accepted(d))
	}
	groups := alike(d.Findings)
	p.findingTable(&o, groups)
	for _, g := range groups {
		p.findingOutline(&o, g, p.details(g))
	}
	if d.All {
		for _, a := range d.Accepted {
			g := []check.Finding{a.Finding}
			p.findingOutline(&o, g, append(p.details(g), item(prose(bold(p.word(labelAccepted)), " "), p.word(until(a))+p.colon()+a.Reason)))
		}
	}
	p.gapOutline(&o, d.Unknown)
	o.list(p.unjudgedItems(d.Unjudged))
	return WriteMarkdown(w, o)
}

// title is the heading of a document: the command, and what it was about.
func (o *Outline) title(command, of string) {
	if of == "" {
		o.heading(1, command)
		return
	}
	o.heading(1, command+": ", code(of))
}

func (p *page) subjectOutline(o *Outline, verb string, s Subject) {
	o.para(p.subjectLine(verb, s))
	var list []Item
	for _, in := range s.Instances {
		list = append(list, Item{Text: prose(p.instance(in))})
	}
	for _, a := range s.Assumed {
		list = append(list, Item{Text: prose(p.assumed(a))})
	}
	o.list(list)
}

// findingTable is what somebody sees who reads no further.
func (p *page) findingTable(o *Outline, groups [][]check.Finding) {
	if len(groups) == 0 {
		return
	}
	t := Table{Caption: p.say("show/column/finding", "finding"),
		Head: []string{p.say("show/column/severity", "severity"), p.say("show/column/finding", "finding"), p.word(labelWhere), p.say("show/column/check", "check")}}
	for _, g := range groups {
		t.Rows = append(t.Rows, []Prose{prose(p.word(severityWords[g[0].Severity])), prose(g[0].Title), prose(p.places(g)), prose(code(g[0].ID))})
	}
	o.add(t)
}

func (p *page) findingOutline(o *Outline, g []check.Finding, details []Item) {
	f := g[0]
	o.heading(2, p.word(severityWords[f.Severity]), p.colon(), f.Title, " (", code(f.ID), ")")
	o.list(details)
}

// details are the fields of findings that differ only in where and what was seen.
func (p *page) details(g []check.Finding) []Item {
	lead := func(m say.Message) Prose { return prose(bold(p.word(m)), " ") }
	field := func(m say.Message, of func(check.Finding) string) (it Item, same bool) {
		same = true
		for _, f := range g {
			same = same && of(f) == of(g[0])
		}
		if same {
			return item(lead(m), of(g[0])), true
		}
		var list []Item
		for _, f := range g {
			list = append(list, item(prose(p.place(f), p.colon()), of(f)))
		}
		return Item{Text: prose(bold(p.word(m))), More: []Block{List{list}}}, false
	}
	seen, same := field(labelSeen, func(f check.Finding) string { return f.Seen })
	var out []Item
	if same {
		out = append(out, item(lead(labelWhere), p.places(g)))
	}
	do, _ := field(labelDo, func(f check.Finding) string { return f.Do })
	out = append(out, seen, item(lead(labelWhy), g[0].Why), do)
	if len(g[0].Sources) > 0 {
		out = append(out, item(lead(labelSources), sourceTitles(g[0].Sources)))
	}
	return out
}

// gapOutline lists what is missing, and what would reveal it.
func (p *page) gapOutline(o *Outline, gaps []known.Gap) {
	if len(gaps) == 0 {
		return
	}
	o.heading(2, p.say("show/unknown", "Could not be judged"))
	var list []Item
	for _, g := range Causes(gaps) {
		it := item(prose(strings.Join(g.Facts, ", ")+": "), g.Reason)
		if g.Reveal != "" {
			it.More = append(it.More, List{[]Item{item(prose(p.say("show/reveal", "to know it:")+" "), g.Reveal)}})
		}
		list = append(list, it)
	}
	o.list(list)
}

// FileMarkdown writes the report on a configuration file in Markdown.
func FileMarkdown(w io.Writer, d CheckedFile, st Style) error {
	p := newPage(st)
	d.Report = d.Report.In(st.Words)
	var o Outline
	o.title("pgfettle check", d.Main)
	for _, l := range p.fileSubject(d) {
		o.para(l)
	}
	o.para(bold(p.fileSummary(d)))
	if len(d.Accepted) > 0 {
		o.para(p.accepted(acceptedFile(d)))
	}
	groups := alike(fileFindings(d))
	p.findingTable(&o, groups)
	for _, g := range groups {
		p.findingOutline(&o, g, p.details(g))
	}
	if d.All {
		for _, a := range d.Accepted {
			f := a.Finding.Finding
			f.Instance = filePlace(a.Finding)
			g := []check.Finding{f}
			p.findingOutline(&o, g, append(p.details(g), item(prose(bold(p.word(labelAccepted)), " "), p.word(until(check.Accepted{Expires: a.Expires}))+p.colon()+a.Reason)))
		}
	}
	return WriteMarkdown(w, o)
}
