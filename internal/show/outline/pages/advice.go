package pages

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// Advice is a page that belongs to no check and no setting.
func Advice(a advice.Page, in *say.Catalogue) outline.Outline {
	p := newPage(in)
	a = a.In(in)
	p.title(a.ID, p.Word(a.Kind.Message()), a.Title)
	p.section(p.Say("Wrong"), p.Word(a.Verdict()))
	head := p.Say("Correct")
	if a.Kind != advice.NotSo {
		head = p.Say("Advice")
	}
	p.o.Heading(2, head)
	for i, t := range a.Text {
		at := len(p.o)
		p.o.Told(t)
		if first, is := p.o[at].(outline.Para); is && i > 0 {
			first.Apart = true
			p.o[at] = first
		}
	}
	p.section(p.Say("How to verify"), a.Verify)
	p.names(p.Say("Other names"), a.Names)
	p.names(p.Say("See also: pgfettle explain"), a.See)
	p.sources(a.Sources)
	return p.o
}

// Index lists every check, setting, and page with its title.
func Index(checks []check.Check, rules []rule.Rule, pages []advice.Page, in *say.Catalogue) outline.Outline {
	p := newPage(in)
	id, severity := "", p.LongestSeverity()
	longest := func(name string) {
		if len(name) > len(id) {
			id = name
		}
	}
	var judged, knobs, read outline.Rows
	for _, c := range checks {
		longest(c.ID)
		judged.List = append(judged.List, outline.RowOf(name(c.ID), p.Severity(c.Severity), c.In(in).Title))
	}
	for _, r := range rules {
		longest(string(r.Address))
		knobs.List = append(knobs.List, outline.RowOf(name(string(r.Address)), r.In(in).Title))
	}
	kind := ""
	for _, k := range advice.Kinds() {
		if w := p.Word(k.Message()); len([]rune(w)) > len([]rune(kind)) {
			kind = w
		}
	}
	for _, a := range pages {
		longest(a.ID)
		read.List = append(read.List, outline.RowOf(name(a.ID), p.Word(a.Kind.Message()), a.In(in).Title))
	}
	judged.Longest = []string{id, severity}
	knobs.Longest = []string{id}
	read.Longest = []string{id, kind}
	p.o.Heading(2, p.Many(len(checks), "{n} check", "{n} checks"))
	p.o.Add(judged)
	p.o.Heading(2, p.Many(len(rules), "{n} setting", "{n} settings"))
	p.o.Add(knobs)
	p.o.Heading(2, p.Many(len(pages), "{n} page", "{n} pages"))
	p.o.Add(read)
	return p.o
}

// name is an id or an address that 'pgfettle explain' describes.
func name(id string) outline.Piece { return outline.Piece{Text: id, As: outline.AsName, Topic: id} }
