package web

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// The memory budget is drawn by hand: no charting library has a bar that ends at
// a limit and may go past it. Lengths are shares of the width, in per cent, so
// that the bar is as wide as its page and its words are as large as the text.

// labelled is the least share of the width that an amount is written into: on a
// phone (320 px for the bar) it is 45 px, as wide as "1024 MB" in small type.
const labelled = 14

// barPiece is one part of one bar.
type barPiece struct {
	Part       string // class c-PART
	Tip        string // told when pointed at
	X, Width   string // in per cent
	Label      string // the amount, where there is room
	Y, TextY   int
	Cut        bool // the bar goes on: more than is drawn
	onDarkPart bool
}

// LabelClass says which ink is read on the colour of the part.
func (p barPiece) LabelClass() string {
	if p.onDarkPart {
		return "inside"
	}
	return "inside-dark"
}

// deep are the parts whose colour is dark on a light page.
var deep = map[string]bool{"shared": true, "page_tables": true, "backends": true, "work": true, "unused": true}

// bar is one of the two bars with its line of words.
type bar struct {
	Name   string
	End    string // how much memory there is
	Limit  string // where it ends, in per cent
	NameY  int
	Top    int
	Bottom int
	Pieces []barPiece
}

// budgetPicture is what the template draws.
type budgetPicture struct {
	ID, Title, Desc string
	Height          int
	Bars            []bar
}

const (
	barHeight = 30
	barRow    = 62 // its line of words, the bar, the room below
)

// Budget is the memory budget as a picture, before and after, with its numbers.
// id makes its names the only ones of the page. Its title stands in the heading
// above it, see BudgetHeading.
func Budget(b plan.Budget, v View, id string) (template.HTML, error) {
	return budget(b, v, id, true)
}

// budget is Budget whose numbers unfold, or are open.
func budget(b plan.Budget, v View, id string, open bool) (template.HTML, error) {
	t := outline.WordsIn(v.Words)
	if !b.Known {
		return fragment("prose", t.BudgetUnknown())
	}
	before, after := t.BudgetParts(b.Before, b.After), t.BudgetParts(b.Before, b.After)
	scale := float64(b.After.Total)
	if short := max(b.Before.Shortfall, b.After.Shortfall); short > 0 {
		scale += min(float64(short), outline.Overflow*scale)
	}
	pic := budgetPicture{ID: id, Title: t.BudgetBound(b), Height: 2 * barRow}
	pic.Bars = []bar{
		oneBar(t.Before(), before, b.Before, scale, 0, func(p outline.BudgetPart) unit.Bytes { return p.Before }),
		oneBar(t.After(), after, b.After, scale, barRow, func(p outline.BudgetPart) unit.Bytes { return p.After }),
	}
	pic.Desc = t.Before() + t.Colon() + amounts(before, func(p outline.BudgetPart) unit.Bytes { return p.Before }) +
		". " +
		t.After() + t.Colon() + amounts(after, func(p outline.BudgetPart) unit.Bytes { return p.After }) + "."
	svg, err := fragment("budget", pic)
	if err != nil {
		return "", err
	}
	var keys []Key
	if !open { // the table, which has them, is folded
		for _, p := range before {
			keys = append(keys, Key{"c-" + p.ID, p.Name})
		}
	}
	table, err := v.budgetTable(b)
	if err != nil {
		return "", err
	}
	return FigureHTML(Figure{Title: pic.Title, Quiet: true, SVG: svg,
		Note: strings.TrimSpace(strings.Join(append([]string{t.BudgetWorst(), t.BudgetAll(b)}, t.BudgetBeneath(b)...),
			" ")), More: v.say("show/web/numbers", "The numbers"), Table: table, Open: open, Keys: keys})
}

func oneBar(name string, parts []outline.BudgetPart, b memory.Budget, scale float64, top int,
	of func(outline.BudgetPart) unit.Bytes) bar {
	at := func(x float64) string { return fmt.Sprintf("%.2f%%", x) }
	out := bar{Name: name, End: b.Total.String(), Limit: at(100 * float64(b.Total) / scale), NameY: top + 14,
		Top: top + 20, Bottom: top + 20 + barHeight}
	x := 0.0
	for _, p := range parts {
		size := of(p)
		w := 100 * float64(size) / scale
		if size == 0 || x >= 100 {
			continue
		}
		piece := barPiece{Part: p.ID, Tip: p.Name + ": " + size.String() + percentNote(size, b.Total), X: at(x),
			Y: top + 20, TextY: top + 40, onDarkPart: deep[p.ID]}
		if x+w > 100.01 { // beyond what is drawn
			w, piece.Cut = 100-x, true
		}
		piece.Width = at(w)
		if w >= labelled && p.ID != "reserve" {
			piece.Label = size.String()
		}
		x += w
		out.Pieces = append(out.Pieces, piece)
	}
	return out
}

func percentNote(size, total unit.Bytes) string {
	if s := outline.Percent(size, total); s != "" {
		return " (" + s + ")"
	}
	return ""
}

// amounts tells a bar to who does not see it.
func amounts(parts []outline.BudgetPart, of func(outline.BudgetPart) unit.Bytes) string {
	var out []string
	for _, p := range parts {
		if of(p) != 0 {
			out = append(out, p.Name+" "+of(p).String())
		}
	}
	return strings.Join(out, ", ")
}

func (v View) budgetTable(b plan.Budget) (Table, error) {
	t := outline.WordsIn(v.Words)
	share := v.say("show/web/share", "share")
	out := Table{Caption: t.BudgetBound(b), Quiet: true, Numbers: []int{1, 2, 3, 4},
		Head: []string{v.say("show/web/part", "part"), t.Before(), share, t.After(), share}}
	for _, p := range t.BudgetParts(b.Before, b.After) {
		name, err := fragment("patch", Key{"c-" + p.ID, p.Name})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, append([]Cell{{HTML: name}},
			Cells(outline.Amount(p.Before), outline.Percent(p.Before, b.Before.Total), outline.Amount(p.After),
				outline.Percent(p.After, b.After.Total))...))
	}
	if b.Before.Shortfall > 0 || b.After.Shortfall > 0 {
		out.Rows = append(out.Rows, Cells(v.say("show/web/shortfall", "missing, past the end of the memory"),
			outline.Amount(b.Before.Shortfall), outline.Percent(b.Before.Shortfall, b.Before.Total),
			outline.Amount(b.After.Shortfall), outline.Percent(b.After.Shortfall, b.After.Total)))
	}
	return out, nil
}

// BudgetHeading is the heading above the picture.
func BudgetHeading(b plan.Budget, v View) string {
	if !b.Known {
		return v.say("show/budget/not_drawn", "Memory budget: not drawn")
	}
	return outline.WordsIn(v.Words).BudgetBound(b)
}
