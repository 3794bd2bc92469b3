package pages

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// CheckTag says of what area a check is, and how severe its findings are.
func CheckTag(c check.Check) say.Message {
	return say.M("check, {area}, {severity}", "area", string(c.Area), "severity", check.SeverityWords[c.Severity])
}

// Check is the page of a check, with what it found where a host was examined.
func Check(c document.CheckPage, in *say.Catalogue) outline.Outline {
	p := newPage(in)
	k := c.Check.In(in)
	p.title(k.ID, p.Word(CheckTag(k)), k.Title)
	p.section(p.Say("Why it matters"), k.Why)
	p.section(p.Say("What to do"), k.Do)
	if k.Scope == check.PerInstance {
		p.versions(k.From, k.To)
	}
	p.names(p.Say("Not reported together with"), k.DependsOn)
	p.pages(c.Pages, in)
	p.sources(k.Sources)
	if c.Here != nil {
		p.found(c.Here, in)
	}
	return p.o
}

// found is what the check found on the host.
func (p *page) found(here *document.Check, in *say.Catalogue) {
	p.o.Heading(2, p.Say("On this host"))
	report := here.Report.In(in)
	var rows outline.Rows
	for _, f := range report.Findings {
		rows.List = append(rows.List, row(strings.ToUpper(p.Severity(f.Severity)),
			outline.ItemOf(outline.Join(p.Place(f), p.Colon()), f.Seen.String())))
	}
	for _, a := range report.Accepted {
		rows.List = append(rows.List, row(p.Accepted(), outline.ItemOf(outline.Join(p.Place(a.Finding), p.Colon()),
			a.Seen.String()+" ("+p.Word(outline.Until(a))+p.Colon()+a.Reason+")")))
	}
	if len(rows.List) > 0 {
		p.o.Add(rows)
	}
	p.gaps(here.Unknown)
	if len(rows.List)+len(here.Unknown) == 0 {
		p.o.Para(p.Say("No findings on this host."))
	}
}

// row is a word with an entry of a list next to it.
func row(word string, it outline.Item) outline.Row {
	r := outline.RowOf(word, it.Text)
	r.More = it.More
	return r
}
