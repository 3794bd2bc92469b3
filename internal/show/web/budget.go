package web

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// Bars are drawn manually: no charting library has a bar that ends at a limit and may go past it. Lengths are shares of
// the width, in percent, so that the bar is as wide as its page and its words are as large as the text.

// labelled is the least share of the width that an amount is written into: on a
// phone (320 px for the bar) it is 45 px, as wide as "1024 MB" in small type.
const labelled = 14

// barPiece is one part of one bar.
type barPiece struct {
	Part       string // class c-PART
	Tip        string // shown on hover
	X, Width   string // in percent
	Label      string // the amount, where there is room
	Y, TextY   int
	Cut        bool // the bar goes on: more than is drawn
	onDarkPart bool
}

// LabelClass says which ink is read on the color of the part.
func (p barPiece) LabelClass() string {
	if p.onDarkPart {
		return "inside"
	}
	return "inside-dark"
}

// deep are the parts whose color is dark on a light page.
var deep = map[string]bool{"shared": true, "page_tables": true, "backends": true, "work": true, "unused": true}

// bar is one of the bars with its line of words.
type bar struct {
	Name   string
	End    string // how much memory there is
	Limit  string // where it ends, in percent
	NameY  int
	Top    int
	Bottom int
	Pieces []barPiece
}

// barsPicture is what the template draws.
type barsPicture struct {
	ID, Title, Desc string
	Height          int
	Bars            []bar
}

const (
	barHeight = 30
	barRow    = 62 // its line of words, the bar, the room below
)

// Budget is the memory budget alone, below its heading: the picture before and after, with its numbers folded.
func Budget(b plan.Budget, v View) (template.HTML, error) {
	w := v.writer(nil)
	w.Closed = true
	w.Draw = func(f outline.Figure) (html.Picture, error) {
		if f.Name != outline.FigureBudget { // one picture is enough where the plan has the other
			return html.Picture{}, nil
		}
		return v.drawn(f, nil)
	}
	return w.Write(outline.Budget(b, v.Words))
}

// bars draws bars on one scale. Their parts have keys.
func (v View) bars(f outline.Figure, b outline.Bars) (html.Picture, error) {
	total, most := 0.0, 0.0
	for _, one := range b.Bars {
		sum := 0.0
		for _, a := range one.Amounts {
			sum += float64(a)
		}
		total, most = max(total, float64(one.Total)), max(most, sum)
	}
	scale := total
	if most > total {
		scale += min(most-total, outline.Overflow*total)
	}
	if scale <= 0 {
		return html.Picture{}, nil
	}
	pic := barsPicture{ID: v.ID + f.Name, Title: f.Title, Height: len(b.Bars) * barRow}
	words := outline.WordsIn(v.Words)
	var told []string
	for i, one := range b.Bars {
		pic.Bars = append(pic.Bars, oneBar(words, b.Signs, one, scale, i*barRow))
		told = append(told, one.Label+words.Colon()+amounts(words, b.Signs, one)+".")
	}
	pic.Desc = strings.Join(told, " ")
	out := html.Picture{Quiet: true}
	for i, s := range b.Signs {
		for _, one := range b.Bars {
			if one.Amounts[i] > 0 {
				out.Keys = append(out.Keys, html.Key{Class: "c-" + s.Part, Text: s.Name})
				break
			}
		}
	}
	var err error
	out.SVG, err = fragment("budget", pic)
	return out, err
}

func oneBar(words outline.Words, signs []outline.Sign, b outline.Bar, scale float64, top int) bar {
	at := func(x float64) string { return fmt.Sprintf("%.2f%%", x) }
	out := bar{Name: b.Label, End: words.Size(b.Total), Limit: at(100 * float64(b.Total) / scale), NameY: top + 14,
		Top: top + 20, Bottom: top + 20 + barHeight}
	x := 0.0
	for i, size := range b.Amounts {
		part := signs[i]
		w := 100 * float64(size) / scale
		if size == 0 || x >= 100 {
			continue
		}
		tip := part.Name + words.Colon() + words.Size(size)
		if s := words.Percent(size, b.Total); s != "" {
			tip += " (" + s + ")"
		}
		piece := barPiece{Part: part.Part, Tip: tip, X: at(x), Y: top + 20, TextY: top + 40,
			onDarkPart: deep[part.Part]}
		if x+w > 100.01 { // beyond what is drawn
			w, piece.Cut = 100-x, true
		}
		piece.Width = at(w)
		if w >= labelled && part.Part != "reserve" {
			piece.Label = words.Size(size)
		}
		x += w
		out.Pieces = append(out.Pieces, piece)
	}
	return out
}

// amounts describes a bar for screen readers.
func amounts(words outline.Words, signs []outline.Sign, b outline.Bar) string {
	var out []string
	for i, size := range b.Amounts {
		if size != 0 {
			out = append(out, signs[i].Name+" "+words.Size(size))
		}
	}
	return strings.Join(out, ", ")
}
