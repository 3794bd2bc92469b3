// Package pages makes the outlines of what 'pgfettle explain' shows: the page of a check, of a setting, of a setting
// that no plan changes, of what is written about elsewhere, and the list of them all.
//
// Each function takes a document and the catalog of the reader's language (nil is English), and returns an outline that
// any form can be written from. No host is examined here: what was found on one is in the document.
package pages

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// page is one page while it is made.
type page struct {
	outline.Words
	o outline.Outline
}

func newPage(c *say.Catalogue) *page { return &page{Words: outline.WordsIn(c)} }

// title is the name of what the page is about, with what kind of thing it is; then what that is called.
func (p *page) title(name, kind, called string) {
	p.o.Add(outline.Heading{Level: 1, Text: outline.Join(name), Tag: kind})
	if called != "" {
		p.o.Para(outline.Bold(called))
	}
}

// section adds a text below a heading, if there is one.
func (p *page) section(title, text string) {
	if text == "" {
		return
	}
	p.o.Heading(2, title)
	p.o.Told(text)
}

// names are ids or addresses in one paragraph below a heading.
func (p *page) names(title string, list []string) {
	if len(list) == 0 {
		return
	}
	var text outline.Prose
	for i, name := range list {
		if i > 0 {
			text = append(text, outline.Piece{Text: ", "})
		}
		text = append(text, outline.Piece{Text: name, As: outline.AsName, Topic: name})
	}
	p.o.Heading(2, title)
	p.o.Para(text)
}

// versions says for which versions of PostgreSQL the page holds.
func (p *page) versions(from, to int) {
	p.section(p.Say("Versions"), p.Word(Versions(from, to)))
}

// Versions says for which versions of PostgreSQL something holds; 0 is no bound.
func Versions(from, to int) say.Message {
	switch {
	case from > 0 && to > 0:
		return say.M("PostgreSQL {from} to {to}.", "from", from, "to", to)
	case from > 0:
		return say.M("PostgreSQL {from} and later.", "from", from)
	case to > 0:
		return say.M("PostgreSQL {to} and earlier.", "to", to)
	}
	return say.M("All versions of PostgreSQL that pgfettle supports.")
}

// sources are the titles of the sources with these ids.
func (p *page) sources(ids []string) {
	p.o.Heading(2, p.Say("Sources"))
	for _, id := range ids {
		s, ok := say.SourceByID(id)
		if !ok {
			p.o.Para(id)
			continue
		}
		s = s.In(p.Catalog())
		t := ", " + s.Publisher
		if s.Version != "" {
			t += ", " + s.Version
		}
		if s.Date != "" {
			t += ", " + p.Say("as of {date}", "date", s.Date)
		}
		p.o.Para(outline.Piece{Text: s.Title, URL: s.URL}, t)
	}
}

// pages lists the pages with more about a check or a setting.
func (p *page) pages(list []advice.Page, in *say.Catalogue) {
	if len(list) == 0 {
		return
	}
	p.o.Heading(2, p.Say("Related pages"))
	for _, a := range list {
		a = a.In(in)
		p.o.Told(p.Word(say.All(" ", say.Text(a.Title+"."), a.Verdict(),
			say.M("Details: pgfettle explain {id}", "id", a.ID))))
	}
}

// gaps lists what is not known of the host.
func (p *page) gaps(list []known.Gap) {
	var items []outline.Item
	for _, g := range list {
		items = append(items, outline.Item{Text: outline.Join(p.GapLine(g))})
	}
	p.o.Kind(outline.Gaps, items)
}
