package outline

import (
	"slices"
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Picture is a picture that can be drawn with signs: lines of at most width columns, of ASCII alone where plain.
type Picture interface {
	Draw(width int, plain bool) []Prose
}

// Hue is a color that distinguishes parts of a picture: an ANSI code. Without it, each part has its own character.
type Hue string

// Sign is how a part of a picture is drawn.
type Sign struct {
	Mark string // one ASCII character
	Hue  Hue
	Part string // the id of the part
	Name string // the part for people, for pictures that label it in place
}

// Piece is the sign as a piece of text.
func (s Sign) Piece() Piece { return Piece{Text: s.Mark, As: AsSign, Hue: s.Hue, Part: s.Part} }

// Before is a text behind the sign of the part that it names.
func (s Sign) Before(name string) Prose { return Join(s.Piece(), Piece{Text: " " + name}) }

// Bars are bars under each other on one scale, each of the same parts.
type Bars struct {
	Signs []Sign
	Bars  []Bar
}

// Bar is one of them.
type Bar struct {
	Label   string
	Amounts []unit.Bytes // of each part
	Total   unit.Bytes   // where a | stands; parts may go past it
}

// Overflow is how far a bar may go past its total, as a share of it: what is more is cut off, and the table has it.
const Overflow = 0.5

// mostCells bounds a bar: a longer one shows nothing more.
const mostCells = 100

// Draw draws them.
func (b Bars) Draw(width int, _ bool) []Prose {
	label, total, most := 0, unit.Bytes(0), unit.Bytes(0)
	for _, bar := range b.Bars {
		if bar.Label != "" {
			label = max(label, typeset.Width(bar.Label)+1)
		}
		total = max(total, bar.Total)
		most = max(most, bar.sum())
	}
	scale := float64(total)
	if most > total {
		scale += min(float64(most-total), Overflow*scale)
	}
	if scale <= 0 {
		return nil
	}
	cells := min(width-label-2, mostCells)
	var out []Prose
	for _, bar := range b.Bars {
		out = append(out, append(Join(typeset.Pad(bar.Label, label)), b.draw(bar, cells, scale)...))
	}
	return out
}

func (b Bar) sum() (s unit.Bytes) {
	for _, a := range b.Amounts {
		s += max(a, 0)
	}
	return s
}

// draw draws one bar. A | stands where its total ends.
func (b Bars) draw(bar Bar, cells int, scale float64) Prose {
	end := int(float64(bar.Total)/scale*float64(cells) + 0.5)
	fill := end
	if sum := bar.sum(); sum > bar.Total {
		fill = int(float64(sum)/scale*float64(cells) + 0.5)
	}
	var parts []int // index of the part of each cell
	for i, n := range BarCells(bar.Amounts, fill) {
		parts = append(parts, slices.Repeat([]int{i}, n)...)
	}
	cut := len(parts) > cells
	if cut {
		parts = parts[:cells]
	}
	out := Join("|")
	for i := 0; i < len(parts); {
		j := i
		for j < len(parts) && parts[j] == parts[i] && (j == i || j != end) {
			j++
		}
		if i == end {
			out = append(out, Piece{Text: "|", As: AsBad})
		}
		s := b.Signs[parts[i]]
		out = append(out, Piece{Text: strings.Repeat(s.Mark, j-i), As: AsSign, Hue: s.Hue})
		i = j
	}
	if len(parts) <= end {
		out = append(out, Piece{Text: "|"})
	}
	if cut {
		out = append(out, Piece{Text: ">"})
	}
	return out
}

// BarCells divides n cells among the amounts by largest remainder, so that the bar is as long as its sum and no part is
// more than one cell off. A part that is too small for a cell gets one all the same, from the largest: what is in the
// legend is in the picture.
func BarCells(amounts []unit.Bytes, n int) []int {
	n = max(n, 0)
	var sum unit.Bytes
	for _, a := range amounts {
		sum += max(a, 0)
	}
	out := make([]int, len(amounts))
	if sum <= 0 {
		return out
	}
	type rest struct {
		i    int
		frac float64
	}
	rests := make([]rest, len(amounts))
	left := n
	for i, a := range amounts {
		exact := float64(max(a, 0)) / float64(sum) * float64(n)
		out[i] = int(exact)
		rests[i] = rest{i, exact - float64(out[i])}
		left -= out[i]
	}
	sort.SliceStable(rests, func(a, b int) bool { return rests[a].frac > rests[b].frac })
	for k := 0; k < left && k < len(rests); k++ {
		out[rests[k].i]++
	}
	for i, a := range amounts {
		if most := longest(out); a > 0 && out[i] == 0 && out[most] > 1 {
			out[i]++
			out[most]--
		}
	}
	return out
}

func longest(list []int) int {
	at := 0
	for i, n := range list {
		if n > list[at] {
			at = i
		}
	}
	return at
}
