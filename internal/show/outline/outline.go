// Package outline turns documents into outlines: headings, paragraphs, lists, tables and listings, before any form. One
// file holds one document, with the words for it that faces without their own outline also use.
package outline

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Outline is a document as headings, paragraphs, lists, tables and listings,
// before any form: Markdown and HTML are both written from it, so that they say
// the same. Texts in it are raw; who writes a form escapes them for it.
type Outline []Block

// Block is one part of an outline: Heading, Para, List, Table, Listing, Figure, or one of elements.go.
type Block interface{ block() }

// Heading stands above what follows it. Level 1 is the title of the document.
type Heading struct {
	Level   int
	Text    Prose
	Command bool // the title is the command that made the document: who typed it knows that
	Part    bool // of a long report: a form of text draws a line before it
	Tone    Tone // of a heading that is a verdict
	// Tag is what kind of thing the heading names, such as "check, memory, warning": a form of text has it beside the
	// heading, on the same line.
	Tag string
}

// Mixed reports whether pieces of the heading have their own styles. Otherwise all of it looks like a heading.
func (h Heading) Mixed() bool {
	return slices.ContainsFunc(h.Text, func(p Piece) bool { return p.As == AsStrong || p.As == AsFaint })
}

// Para is a paragraph. Tone is a meaning that a form may color; the words say it too.
type Para struct {
	Text  Prose
	Tone  Tone
	Apart bool // a form that sets paragraphs close has an empty line before it
}

// Tone is the meaning of a paragraph.
type Tone string

// The tones.
const (
	ToneNone Tone = ""
	ToneBad  Tone = "bad"  // critical, worse, killed
	ToneMind Tone = "mind" // a warning
	ToneGood Tone = "good"
	ToneNote Tone = "note" // an aside
	ToneInfo Tone = "info" // neither good nor bad
)

// List is a list without numbers.
type List struct {
	Items []Item
	Kind  Kind
	Lead  string // names the list, for forms that do not show its kind
	Tone  Tone   // of all of it
}

// Kind is what the entries of a list are. A form of text shows it by its mark.
type Kind int

// The kinds.
const (
	Points Kind = iota
	Lines       // short lines under each other
	Evidence
	Steps    // what to do next
	Numbered // steps in their order
	Gaps     // what is not known
	Warnings
)

// Item is an entry of a list, with what belongs to it.
type Item struct {
	Text Prose
	More []Block
	Tone Tone
}

// Table has a head and rows of as many cells. Columns from Numbers on are numbers,
// which stand to the right; 0: none are. (The first column names the row.)
type Table struct {
	Caption string // for who cannot see what stands above it
	Head    []string
	Rows    [][]Prose
	Numbers int
	Long    bool         // the first column is long: where lines are short it stands last, and is wrapped
	Shares  []float64    // of the rows, from 0 to 1, which a form may draw as bars; below 0: none
	Tones   map[int]Tone // of rows that stand out; words say it too
	Close   bool         // a form of text has no empty line around it
}

// Listing is commands or lines of others, as they are.
type Listing struct {
	Lines []string
	Diff  bool // lines begin with a blank, - or +
}

// Figure is the place of a picture. The table after it has its figures, so a form
// without pictures leaves nothing out.
type Figure struct {
	Name    string  // which picture: memory, tables, held, blocks
	At      int     // of which instance or kill of the document
	Title   string  // of what is seen; "" is the caption of the table
	Picture Picture // for forms of text; nil if it has none
	Close   bool    // a form of text has no empty line around it
}

func (Heading) block() {}

func (Para) block() {}

func (List) block() {}

func (Table) block() {}

func (Listing) block() {}

func (Figure) block() {}

// Prose is text of one paragraph.
type Prose []Piece

// Piece is a run of text that looks alike.
type Piece struct {
	Text  string
	As    Look
	Hue   Hue    // of a sign
	Part  string // of a sign: the id of the part that it stands for, by which a page knows its color
	Topic string // what 'pgfettle explain' describes: a form with links points there
	URL   string // of a source, one of ours: a form that has links leads there
}

// Look is how a piece of text stands among others.
type Look int

// The looks.
const (
	AsText Look = iota
	AsStrong
	AsCode    // a name, a value, a command: as it is spelled
	AsFaint   // what stands back, where a form can show that
	AsInfo    // what stands out, where a form can show that
	AsBad     // what is past a bound
	AsName    // a name that is code where that takes no marks around it; else it is text
	AsCommand // a command that can be copied: code, apart from the prose around it
	AsSign    // a sign of a picture drawn with signs; forms with their own pictures omit it
)

func Bold(s string) Piece { return Piece{Text: s, As: AsStrong} }

func Code(s string) Piece { return Piece{Text: s, As: AsCode} }

func Faint(s string) Piece { return Piece{Text: s, As: AsFaint} }

// Join joins strings, pieces and other prose.
func Join(parts ...any) Prose {
	var out Prose
	for _, part := range parts {
		switch v := part.(type) {
		case string:
			if v != "" {
				out = append(out, Piece{Text: v})
			}
		case Piece:
			if v.Text != "" {
				out = append(out, v)
			}
		case Prose:
			out = append(out, v...)
		}
	}
	return out
}

// String is the text alone.
func (p Prose) String() string {
	var b strings.Builder
	for _, piece := range p {
		b.WriteString(piece.Text)
	}
	return b.String()
}

func (o *Outline) Add(blocks ...Block) { *o = append(*o, blocks...) }

func (o *Outline) Heading(level int, parts ...any) {
	o.Add(Heading{Level: level, Text: Join(parts...)})
}

// Part adds the heading of a part of a long report.
func (o *Outline) Part(parts ...any) { o.Add(Heading{Level: 2, Text: Join(parts...), Part: true}) }

// Command adds the title of a document that is the command which made it.
func (o *Outline) Command(parts ...any) {
	o.Add(Heading{Level: 1, Text: Join(parts...), Command: true})
}

func (o *Outline) Para(parts ...any) { o.Toned(ToneNone, parts...) }

func (o *Outline) Toned(t Tone, parts ...any) {
	if text := Join(parts...); len(text) > 0 {
		o.Add(Para{Text: text, Tone: t})
	}
}

// Apart adds a paragraph with an empty line before it.
func (o *Outline) Apart(parts ...any) {
	if text := Join(parts...); len(text) > 0 {
		o.Add(Para{Text: text, Apart: true})
	}
}

// Told adds a text of several lines as its paragraphs and listings.
func (o *Outline) Told(text string) { o.Add(blocksOf(text)...) }

// List adds a list where there is something to list.
func (o *Outline) List(items []Item) { o.Kind(Points, items) }

// Kind adds a list of a kind where there is something to list.
func (o *Outline) Kind(k Kind, items []Item) {
	if len(items) > 0 {
		o.Add(List{Items: items, Kind: k})
	}
}

// blocksOf are the paragraphs and listings of a text: a line that begins with two
// spaces is a command.
func blocksOf(s string) []Block {
	var out []Block
	for l := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		l = strings.TrimRight(l, "\r ")
		command, is := strings.CutPrefix(l, "  ")
		if l == "" {
			continue
		}
		if !is {
			out = append(out, Para{Text: Join(l)})
			continue
		}
		if n := len(out); n > 0 {
			if last, ok := out[n-1].(Listing); ok {
				last.Lines = append(last.Lines, command)
				out[n-1] = last
				continue
			}
		}
		out = append(out, Listing{Lines: []string{command}})
	}
	return out
}

// ItemOf is a text of several lines as one entry: its first line stands beside the
// mark, behind lead.
func ItemOf(lead Prose, s string) Item {
	blocks := blocksOf(s)
	it := Item{Text: lead}
	if len(blocks) > 0 {
		if first, ok := blocks[0].(Para); ok {
			it.Text = Join(lead, first.Text)
			blocks = blocks[1:]
		}
	}
	it.More = blocks
	return it
}

// Items are short texts as entries.
func Items(list []string) []Item {
	var out []Item
	for _, s := range list {
		out = append(out, Item{Text: Join(typeset.Flat(s))})
	}
	return out
}

// Cells makes a row of texts.
func Cells(list ...string) []Prose {
	out := make([]Prose, len(list))
	for i, s := range list {
		out[i] = Join(s)
	}
	return out
}

// TableOf makes a table of rows of texts, the first of them its head. Columns that are empty in every other row are
// omitted.
func TableOf(caption string, rows [][]string, numbers int) Table {
	t := Table{Caption: caption}
	var kept []int
	for c := range rows[0] {
		used := c == 0
		for _, r := range rows[1:] {
			used = used || r[c] != ""
		}
		if used {
			kept = append(kept, c)
			if numbers > 0 && c >= numbers && t.Numbers == 0 {
				t.Numbers = len(kept) - 1
			}
		}
	}
	for i, r := range rows {
		row := make([]string, len(kept))
		for k, c := range kept {
			row[k] = r[c]
		}
		if i == 0 {
			t.Head = row
			continue
		}
		t.Rows = append(t.Rows, Cells(row...))
	}
	return t
}

// title is the heading of a document: the command, and what it was about.
func (o *Outline) title(command, of string) {
	if of == "" {
		o.Command(command)
		return
	}
	o.Command(command+": ", Code(of))
}
