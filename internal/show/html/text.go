package html

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// piece is a run of text that looks alike, as the template writes it.
type piece struct {
	Text  string
	As    string // strong, code; "" is text
	Class string
	Href  string
}

// pieces are text of one paragraph. Signs belong to pictures of signs, and are omitted.
func (x *writing) pieces(p outline.Prose) []piece {
	var out []piece
	for _, part := range p {
		q := piece{Text: part.Text, Href: cmp.Or(part.URL, x.link(part.Topic))}
		switch part.As {
		case outline.AsStrong:
			q.As = "strong"
		case outline.AsCode, outline.AsName:
			q.As = "code"
		case outline.AsCommand:
			q.As = "command"
		case outline.AsFaint:
			q.Class = "muted"
		case outline.AsBad:
			q.Class = "bad"
		case outline.AsSign:
			continue
		}
		out = append(out, q)
	}
	return out
}

// link is the address of the page on a check or a knob; "" if there is none.
func (x *writing) link(topic string) string {
	if x.Explain == "" || topic == "" {
		return ""
	}
	return x.Explain + topic
}

func (x *writing) table(t outline.Table) {
	x.put("table", x.tableOf(t, x.headed))
}

// tableOf is a table of an outline.
func (x *writing) tableOf(t outline.Table, quiet bool) Table {
	out := Table{Caption: t.Caption, Quiet: quiet, Head: t.Head, Classes: map[int]string{}}
	for i := range t.Head {
		if t.Numbers > 0 && i >= t.Numbers {
			out.Numbers = append(out.Numbers, i)
		}
	}
	for i, r := range t.Rows {
		row := make([]Cell, len(t.Head))
		for c := range row {
			if c < len(r) {
				row[c] = x.cell(r[c])
			}
		}
		out.Rows = append(out.Rows, row)
		if class := toneClasses[t.Tones[i]]; class != "" {
			out.Classes[i] = class
		}
	}
	return out
}

// cell is text as a cell. A sign before it becomes the patch of its part.
func (x *writing) cell(p outline.Prose) Cell {
	var c Cell
	if len(p) > 1 && p[0].As == outline.AsSign {
		if p[0].Part != "" {
			c.Patch = "c-" + p[0].Part
		}
		p = slices.Clone(p[1:])
		p[0].Text = strings.TrimLeft(p[0].Text, " ")
	}
	switch {
	case len(p) == 1 && p[0].As == outline.AsText:
		c.Text = p[0].Text
	case len(p) == 1 && p[0].As == outline.AsCode:
		c.Text, c.Code = p[0].Text, true
	case len(p) > 0:
		html, err := fragment("pieces", x.pieces(p))
		if err != nil && x.err == nil {
			x.err = err
		}
		c.HTML = html
	}
	return c
}

// block is one piece of a longer text.
type block struct {
	Code bool // a command or a listing
	Text string
}

// prose divides a text into paragraphs and listings: a line that begins with two
// spaces is a command or a listing, as everywhere in our texts.
func prose(s string) []block {
	var out []block
	for _, l := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		code := strings.HasPrefix(l, "  ")
		l = strings.TrimRight(l, " \r")
		switch n := len(out); {
		case strings.TrimSpace(l) == "":
		case code && n > 0 && out[n-1].Code:
			out[n-1].Text += "\n" + strings.TrimPrefix(l, "  ")
		case code:
			out = append(out, block{true, strings.TrimPrefix(l, "  ")})
		default:
			out = append(out, block{false, l})
		}
	}
	return out
}

// stamp is a date, or a date with its time, which would break at its hyphens.
var stamp = regexp.MustCompile(`^\d{4}-\d\d-\d\d[ T0-9:.Z+-]{0,20}$`)
