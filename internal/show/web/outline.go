package web

import (
	"html/template"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// outlinePart is a block of an outline as the template draws it: of Kind h2, h3, p, pre
// or ul, or a fragment that stands for itself.
type outlinePart struct {
	Kind  string
	Class string
	Text  outline.Prose
	Lines []string
	Items []outlineItem
	HTML  template.HTML
}

type outlineItem struct {
	Text outline.Prose
	More []outlinePart
}

// drawing makes a picture of an outline; its SVG is "" where there is nothing to
// draw.
type drawing func(f outline.Figure) (drawn, error)

// drawn is a picture with what belongs below it.
type drawn struct {
	Title string // of what is seen; "" is the caption of the table
	Quiet bool   // the heading above it says the same
	SVG   template.HTML
	Keys  []Key
	Note  string
}

// outline is the sections of a document, below its title, which is the page's.
// The table after a figure is the one behind the picture.
func (v View) outline(o outline.Outline, draw drawing) (template.HTML, error) {
	parts, err := v.outlineParts(outline.Plain(o), draw)
	if err != nil {
		return "", err
	}
	if len(parts) > 0 && parts[0].Kind == "p" { // it sums the document up
		parts[0].Class = strings.TrimSpace("lead " + parts[0].Class)
	}
	return fragment("outline", parts)
}

// outlinePage is the page of a document.
func (v View) outlinePage(o outline.Outline, draw drawing) (Page, error) {
	body, err := v.outline(o, draw)
	return Page{Title: outlineTitle(o), Lang: v.lang(), Body: body}, err
}

// outlineTitle is the heading of the first level.
func outlineTitle(o outline.Outline) string {
	for _, b := range o {
		if h, ok := b.(outline.Heading); ok && h.Level == 1 {
			return strings.Join(strings.Fields(typeset.Clean(h.Text.String())), " ")
		}
	}
	return "pgfettle"
}

// toneClasses are what the style sheet calls the meanings of paragraphs.
var toneClasses = map[outline.Tone]string{outline.ToneBad: "bad", outline.ToneGood: "good", outline.ToneNote: "note"}

func (v View) outlineParts(list []outline.Block, draw drawing) ([]outlinePart, error) {
	var out []outlinePart
	headed := false // a heading says what the next table is of
	for i := 0; i < len(list); i++ {
		switch b := list[i].(type) {
		case outline.Heading:
			headed = true
			switch b.Level {
			case 2:
				out = append(out, outlinePart{Kind: "h2", Text: b.Text})
			case 3:
				out = append(out, outlinePart{Kind: "h3", Text: b.Text})
			}
		case outline.Para:
			out = append(out, outlinePart{Kind: "p", Class: toneClasses[b.Tone], Text: b.Text})
		case outline.List:
			p := outlinePart{Kind: "ul"}
			for _, it := range b.Items {
				more, err := v.outlineParts(it.More, draw)
				if err != nil {
					return nil, err
				}
				p.Items = append(p.Items, outlineItem{it.Text, more})
			}
			out = append(out, p)
		case outline.Listing:
			out = append(out, outlinePart{Kind: "pre", Lines: b.Lines})
		case outline.Table:
			html, err := outlineTableHTML(b, headed)
			headed = false
			if err != nil {
				return nil, err
			}
			out = append(out, outlinePart{HTML: html})
		case outline.Figure:
			table, behind := outline.Table{}, false
			if i+1 < len(list) {
				table, behind = list[i+1].(outline.Table)
			}
			html, err := v.outlineFigure(b, table, draw)
			if err != nil {
				return nil, err
			}
			if html != "" {
				out = append(out, outlinePart{HTML: html})
				if behind {
					headed = false
					i++
				}
			}
		}
	}
	return out, nil
}

// outlineFigure is a picture with its table; "" where nothing is drawn.
func (v View) outlineFigure(f outline.Figure, t outline.Table, draw drawing) (template.HTML, error) {
	if draw == nil {
		return "", nil
	}
	d, err := draw(f)
	if err != nil || d.SVG == "" {
		return "", err
	}
	table, err := outlineTable(t, true)
	if err != nil {
		return "", err
	}
	title := d.Title
	if title == "" {
		title = t.Caption
	}
	return FigureHTML(Figure{Title: title, Quiet: d.Quiet, SVG: d.SVG, Keys: d.Keys, Note: d.Note,
		More: v.say("show/web/numbers", "The numbers"), Table: table, Open: true})
}

func outlineTableHTML(t outline.Table, quiet bool) (template.HTML, error) {
	table, err := outlineTable(t, quiet)
	if err != nil {
		return "", err
	}
	return TableHTML(table)
}

func outlineTable(t outline.Table, quiet bool) (Table, error) {
	out := Table{Caption: t.Caption, Quiet: quiet, Head: t.Head}
	for i := range t.Head {
		if t.Numbers > 0 && i >= t.Numbers {
			out.Numbers = append(out.Numbers, i)
		}
	}
	for _, r := range t.Rows {
		row := make([]Cell, len(t.Head))
		for i := range row {
			if i >= len(r) {
				continue
			}
			c, err := outlineCell(r[i])
			if err != nil {
				return out, err
			}
			row[i] = c
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// outlineCell is text that looks alike as a cell, and any other as a fragment. Signs
// are of pictures that are not drawn here.
func outlineCell(p outline.Prose) (Cell, error) {
	if len(p) > 1 && p[0].As == outline.AsSign {
		p = slices.Clone(p[1:])
		p[0].Text = strings.TrimLeft(p[0].Text, " ")
	}
	switch {
	case len(p) == 0:
		return Cell{}, nil
	case len(p) == 1 && p[0].As == outline.AsText:
		return Cell{Text: p[0].Text}, nil
	case len(p) == 1 && p[0].As == outline.AsCode:
		return Cell{Text: p[0].Text, Code: true}, nil
	}
	html, err := fragment("pieces", p)
	return Cell{HTML: html}, err
}
