package web

import (
	"html/template"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// lang is the language of the view.
func (v View) lang() string {
	if v.Words == nil {
		return say.English
	}
	return v.Words.Lang
}

// writer writes outlines with our pictures: those of draw, and bars.
func (v View) writer(draw html.Draw) html.Writer {
	return html.Writer{Words: v.Words, Explain: v.Explain, Level: v.level, Open: v.open,
		Draw: func(f outline.Figure) (html.Picture, error) { return v.drawn(f, draw) }}
}

func (v View) drawn(f outline.Figure, draw html.Draw) (html.Picture, error) {
	if draw != nil {
		return draw(f)
	}
	if bars, is := f.Picture.(outline.Bars); is {
		return v.bars(f, bars)
	}
	return html.Picture{}, nil
}

// document is the sections of a document, below its title, which is the page's.
func (v View) document(o outline.Outline, draw html.Draw) (template.HTML, error) {
	return v.writer(draw).Write(o)
}

// page is the page of a document below a title; "" is the document's own.
func (v View) page(title string, o outline.Outline, draw html.Draw) (Page, error) {
	body, err := v.document(o, draw)
	if title == "" {
		title = titleOf(o)
	}
	return Page{Title: title, Lang: v.lang(), Body: body}, err
}

// titleOf is the heading of the first level.
func titleOf(o outline.Outline) string {
	for _, b := range o {
		if h, ok := b.(outline.Heading); ok && h.Level == 1 {
			return strings.Join(strings.Fields(typeset.Clean(h.Text.String())), " ")
		}
	}
	return "pgfettle"
}

// Check is the sections of a check. Accepted findings are shown too, folded: a page has no flag to request them.
func Check(d document.Check, v View) (template.HTML, error) {
	d.All = true
	return v.document(outline.Check(d, v.Words), nil)
}

// CheckPage is the page of a check.
func CheckPage(d document.Check, v View) (Page, error) {
	title := v.say("Check")
	if d.Subject.Host != "" {
		title = v.say("Check of {host}", "host", typeset.Clean(d.Subject.Host))
	}
	d.All = true
	return v.page(title, outline.Check(d, v.Words), nil)
}

// FilePage is the page of a check of a configuration file.
func FilePage(d document.File, v View) (Page, error) {
	d.All = true
	return v.page(v.say("Check of {host}", "host", typeset.Clean(d.Main)),
		outline.File(d, v.Words), nil)
}

// Unseen is the list of what could not be seen, with what would reveal it.
func Unseen(gaps []known.Gap, v View) (template.HTML, error) {
	return v.document(outline.Unseen(gaps, v.Words), nil)
}
