// Package html writes outlines as fragments of HTML: what a page has between its head and its foot. Pages around them,
// with their navigation, style sheet, and pictures, are made by web and serve.
//
//	body, err := html.Writer{Words: words}.Write(outline.Check(doc, words))
//
// What holds for every fragment:
//
//   - every text goes through html/template, which escapes it for where it stands; what would act on the reader's
//     screen unseen (control characters, marks that reorder text) is written as \xNN;
//   - no style attribute and no script: a page works below "default-src 'none'" and its style sheet alone;
//   - the title of the document, its heading of the first level, is the page's and not written; headings of the second
//     level are h2, or lower by Level;
//   - every table has a caption, every picture a name.
//
// An outline has no pictures, only the places of them: Draw makes one, and the table that stands after the place
// unfolds
// below it. Table and Figure are exported for the parts of pages that are no document.
//
// Classes are documented at the head of the style sheet, web/assets/pgfettle.css.
package html

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Writer writes outlines. Its zero value writes one in English, without pictures and links.
type Writer struct {
	Words   *say.Catalogue // the language of the few words that are this form's own; nil is English
	Explain string         // where pages of checks and knobs are, such as "/explain/"; "": there are none to link to
	Level   int            // how much lower headings stand than in the outline: 1 makes h3 of the second level
	Open    int            // headings of the second level that stay open where there are more; the others fold. 0: all
	Closed  bool           // the numbers behind pictures are folded, and keys are below the pictures instead
	Draw    Draw           // nil: there are no pictures
}

// Draw makes a picture; its SVG is "" if there is nothing to draw.
type Draw func(f outline.Figure) (Picture, error)

// Picture is a picture with what belongs below it.
type Picture struct {
	Title string // of what is seen; "" is the title of the figure, or the caption of the table behind it
	Quiet bool   // the heading above it says the same
	SVG   template.HTML
	Keys  []Key
	Note  string
}

// Write writes an outline. The first paragraph sums a document up, and is set larger.
func (w Writer) Write(o outline.Outline) (template.HTML, error) {
	x := writing{Writer: w, severity: map[string]bool{}}
	x.document(arranged(o))
	if x.err != nil {
		return "", x.err
	}
	return template.HTML(x.b.String()), nil
}

// arranged is an outline in the order in which a page is read, from its head: what to know before acting comes before
// the changes. A terminal is read from its foot, and has it there.
func arranged(o outline.Outline) outline.Outline {
	changes := -1
	for i, b := range o {
		switch v := b.(type) {
		case outline.Changes:
			if changes < 0 && i > 0 {
				changes = i - 1 // its heading
			}
		case outline.List:
			if v.Kind != outline.Warnings || changes < 0 {
				continue
			}
			out := append(outline.Outline{}, o[:changes]...)
			out = append(out, o[i-1:i+1]...)
			out = append(out, o[changes:i-1]...)
			return append(out, o[i+1:]...)
		}
	}
	return o
}

// writing is one document while it is written.
type writing struct {
	Writer
	b        strings.Builder
	err      error
	headed   bool            // a heading says what the next table is of
	lead     bool            // the paragraph that sums up is behind us
	findings int             // so far, except for accepted ones
	group    string          // what the last finding stood under
	severity map[string]bool // ids of groups so far
}

// put executes a template.
func (x *writing) put(name string, data any) {
	html, err := fragment(name, data)
	if err != nil && x.err == nil {
		x.err = err
	}
	x.b.WriteString(string(html))
}

// document writes the blocks of the whole, folding the parts below later headings.
func (x *writing) document(list []outline.Block) {
	second := func(b outline.Block) bool {
		h, is := b.(outline.Heading)
		return is && h.Level == 2
	}
	heads := 0
	for _, b := range list {
		if second(b) {
			heads++
		}
	}
	if x.Open == 0 || heads <= x.Open+1 { // one alone would gain nothing
		x.blocks(list)
		return
	}
	begin, seen := 0, 0
	flush := func(end int) {
		part := list[begin:end]
		begin = end
		if seen <= x.Open {
			x.blocks(part)
			return
		}
		x.b.WriteString("<details class=\"fold\"><summary>")
		x.heading(part[0].(outline.Heading))
		x.b.WriteString("</summary>\n<div class=\"inside\">\n")
		x.blocks(part[1:])
		x.b.WriteString("</div></details>\n")
	}
	for i, b := range list {
		if second(b) {
			flush(i)
			seen++
		}
	}
	flush(len(list))
}

// blocks writes blocks one after the other.
func (x *writing) blocks(list []outline.Block) {
	for i := 0; i < len(list); i++ {
		_, finding := list[i].(outline.Finding)
		if !finding {
			x.group = ""
		}
		switch b := list[i].(type) {
		case outline.Heading:
			if n := x.changes(list[i:]); n > 0 {
				i += n - 1
				continue
			}
			x.heading(b)
		case outline.Para:
			x.para(b)
		case outline.Summary:
			for _, l := range b.Lines {
				x.para(l)
			}
		case outline.Contents: // the headings of the findings say it
		case outline.List:
			x.list(b, false)
		case outline.Rows:
			x.list(b.AsList(), false)
		case outline.Fields:
			x.put("fields", x.fields(b))
		case outline.Finding:
			x.finding(b, list[i:])
		case outline.Changes:
			x.put("changes", x.changeTable([]outline.Changes{b}))
		case outline.Table:
			x.table(b)
		case outline.Listing:
			x.put("listing", b)
		case outline.Figure:
			if x.figure(b, list[i+1:]) {
				i++
			}
		}
		_, x.headed = list[i].(outline.Heading)
	}
}

// headingView is a heading of the level that it has on the page.
type headingView struct {
	Level     int
	ID, Class string
	Text      []piece
}

func (x *writing) heading(h outline.Heading) {
	if h.Tag != "" && h.Level == 1 {
		x.lead = true // what kind of thing it is sums nothing up
		x.para(outline.Para{Text: outline.Join(h.Tag), Tone: outline.ToneNote})
	} else if h.Tag != "" {
		h.Text = outline.Join(h.Text, " ", outline.Faint(h.Tag))
	}
	if h.Level > 1 {
		x.put("heading", headingView{Level: min(h.Level+x.Level, 6), Class: toneClasses[h.Tone],
			Text: x.pieces(h.Text)})
	}
}

// groupHeading stands above findings of one kind, or above changes.
func (x *writing) groupHeading(id, text string) {
	if x.severity[id] {
		id = ""
	}
	x.severity[id] = true
	x.put("heading", headingView{Level: 2 + x.Level, ID: id, Text: []piece{{Text: text}}})
}

func (x *writing) para(p outline.Para) {
	class := toneClasses[p.Tone]
	if !x.lead && x.b.Len() == 0 {
		class = strings.TrimSpace("lead " + class)
	}
	x.lead = true
	x.put("para", struct {
		Class string
		Text  []piece
	}{class, x.pieces(p.Text)})
}

// toneClasses are what the style sheet calls the meanings of text.
var toneClasses = map[outline.Tone]string{outline.ToneBad: "bad", outline.ToneMind: "mind", outline.ToneGood: "good",
	outline.ToneNote: "note"}

// listView is a list; its items have what belongs to them written already.
type listView struct {
	Lead    string
	Ordered bool
	Class   string
	Items   []itemView
}

type itemView struct {
	Class string
	Text  []piece
	More  template.HTML
}

func (x *writing) list(l outline.List, within bool) {
	v := listView{Lead: l.Lead, Ordered: l.Kind == outline.Numbered, Class: toneClasses[l.Tone]}
	switch {
	case l.Kind == outline.Gaps:
		v.Class = strings.TrimSpace("gaps " + v.Class)
	case within && l.Kind == outline.Lines:
		v.Class = "plain sub"
	}
	for _, it := range l.Items {
		v.Items = append(v.Items, x.item(it))
	}
	if len(v.Items) > 0 {
		x.put("list", v)
	}
}

func (x *writing) item(it outline.Item) itemView {
	return itemView{toneClasses[it.Tone], x.pieces(it.Text), x.within(it.More)}
}

// within is blocks that belong to an entry of something.
func (x *writing) within(list []outline.Block) template.HTML {
	inner := writing{Writer: x.Writer, lead: true, severity: x.severity}
	for _, b := range list {
		if l, is := b.(outline.List); is {
			inner.list(l, true)
			continue
		}
		inner.blocks([]outline.Block{b})
	}
	if x.err == nil {
		x.err = inner.err
	}
	return template.HTML(inner.b.String())
}

// figure writes a picture with the table that follows it, and reports whether that is written too.
func (x *writing) figure(f outline.Figure, rest []outline.Block) bool {
	if x.Draw == nil {
		return false
	}
	p, err := x.Draw(f)
	if err != nil && x.err == nil {
		x.err = err
	}
	if err != nil || p.SVG == "" {
		return false
	}
	out := Figure{Title: p.Title, Quiet: p.Quiet, SVG: p.SVG, Note: p.Note, Keys: p.Keys, Open: !x.Closed,
		More: say.M("Values").In(x.Words)}
	behind := false
	if len(rest) > 0 {
		var t outline.Table
		if t, behind = rest[0].(outline.Table); behind {
			out.Table = x.tableOf(t, true)
			if out.Title == "" {
				out.Title = t.Caption
			}
			if out.Open && out.Table.patched() {
				out.Keys = nil // the table has them
			}
		}
	}
	if f.Title != "" {
		out.Title = f.Title
	}
	x.put("figure", out)
	return behind
}

//go:embed templates/*.html
var templates embed.FS

// parsed are all templates; parsing them takes milliseconds, which commands that write no page need not pay.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"prose": prose, "rows": rows}).ParseFS(templates,
		"templates/*.html"))
})

// fragment executes one template. What would act on the reader's screen instead of being seen is written as \xNN,
// wherever it came from.
func fragment(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	if err := parsed().ExecuteTemplate(&b, name+".html", data); err != nil {
		return "", fmt.Errorf("html: %w", err)
	}
	return template.HTML(Seen(b.String())), nil
}

// Seen makes a page harmless to look at: what would act on the reader's screen,
// such as marks that reorder text, is written as \xNN. Line ends and tabs are the
// templates' own.
func Seen(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for line := range strings.Lines(s) {
		body, end := strings.CutSuffix(line, "\n")
		for i, part := range strings.Split(body, "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(typeset.Clean(part))
		}
		if end {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Join sets fragments one after the other.
func Join(list ...template.HTML) template.HTML {
	var b strings.Builder
	for _, f := range list {
		b.WriteString(string(f))
	}
	return template.HTML(b.String())
}

// Prose is a text as paragraphs and listings: a line that begins with two spaces is a command or a listing, as
// everywhere in our texts.
func Prose(text string) (template.HTML, error) { return fragment("prose", text) }
