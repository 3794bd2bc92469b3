// Package unwrap takes off a text what it was pasted or sent in: the quotes of a mail, fences, tables, the marks of a
// diff, JSON, what containers, syslog and runners of jobs put before each line, numbers of lines, pages of the web,
// terminals. It is the only place that does; every reader of what people paste calls it and says by what its own lines
// are known.
//
// One file holds one layer, or a few that are alike. A layer is found on most of the lines that the reader knows,
// never on one of several, and takes itself off; then the next is looked for, so that layers nest. What a reader calls
// its own is left alone: the time of a server's log, the objects of a plan. Where it is not clear whether something is
// a layer or the text, the text stays as it is.
package unwrap

import (
	"bytes"
	"slices"
	"strings"
)

// Reader is what a reader of texts says of its own lines.
type Reader struct {
	// Sign says whether a line has something that only lines of this reader have, wherever in the line it is. Nil:
	// every line that is not empty counts.
	Sign func(line []byte) bool
	// Begin is where in a line one of this reader surely begins; negative: it cannot be told. Nil: in no line.
	Begin func(line string) int
	// Own are layers that are the reader's own, and stay.
	Own []Layer
	// Both says that the two sides of a diff are two texts, such as results before and after. Otherwise what a diff
	// takes out is not in the text.
	Both bool
	// Labeled says that the lines are those of a server's log, and which have the label of an entry: then Sign is
	// not asked. Lines of other programs among them are left out.
	Labeled func(line []byte) bool
	// Exact says that the text is a log, too: a color or an entity in a few of its lines is what a program wrote.
	Exact bool
}

// Layer is the name of a layer, as people call it.
type Layer string

// The layers.
const (
	UTF16      Layer = "UTF-16"
	Returns    Layer = "carriage returns"
	Blanks     Layer = "no-break spaces"
	Quotes     Layer = "typographic quotes"
	Colors     Layer = "colors"
	Printable  Layer = "quoted-printable"
	Page       Layer = "HTML"
	Entities   Layer = "entities of HTML"
	Escapes    Layer = "Markdown"
	Fence      Layer = "fence"
	Ticks      Layer = "backquotes"
	Psql       Layer = "psql"
	Quoted     Layer = "quoted"
	Box        Layer = "box"
	Comment    Layer = "comment"
	Bullet     Layer = "list"
	Diff       Layer = "diff"
	Numbers    Layer = "line numbers"
	Grep       Layer = "grep"
	Compose    Layer = "docker compose"
	Pod        Layer = "kubectl"
	Svlogd     Layer = "svlogd"
	Heroku     Layer = "heroku"
	Host       Layer = "pssh"
	Chat       Layer = "chat"
	Syslog     Layer = "syslog"
	Job        Layer = "CI job log"
	Timestamps Layer = "timestamps"
	Times      Layer = "times" // in other forms than RFC 3339, which logs have of their own
	Mark       Layer = "mark"
	Strings    Layer = "list of strings"
	Literal    Layer = "string"
	Objects    Layer = "JSON"
	Indent     Layer = "indent"
	Folded     Layer = "folded lines"
)

// Line is a line of what is inside.
type Line struct {
	Text   string
	Number int // of the line of the text that it was in, from 1
}

// Text is what is left of a text.
type Text struct {
	Lines  []Line
	Layers []Layer // that were taken off, the outermost first
}

// String is the lines, each with its end.
func (t *Text) String() string {
	var b strings.Builder
	for _, l := range t.Lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Bounds. Nobody piles up more layers than a letter that quotes docker compose of an operator's JSON has, with the
// colors of a terminal, and what makes many lines of one makes no more of them than the text is long.
const (
	maxLayers = 8
	// sampleHead lines of a text are looked at, and sampleSigns behind the first that the reader knows.
	sampleHead, sampleSigns = 100, 1500
	maxLooked               = 16 << 10 // bytes of a line that are looked at
	// maxLine is how much of one line is kept of a stream, and how long a line is that is taken apart.
	maxLine = 256 << 10
)

// line is a line on its way out. Its text may be written over when the next is asked for.
type line struct {
	text   []byte
	number int
}

// cut takes a line and hands out what is within it: one line, several, or none. A line without text and a negative
// number is the end: what was kept is handed out.
type cut func(l line, out func(line))

func ends(l line) bool { return l.number < 0 }

// find looks for a layer in a sample; nil: it is not there.
type find func(s *sample) cut

// entry is a layer with what finds it.
type entry struct {
	layer Layer
	find  find
	// silent is not named to people: it says nothing of where a text is from
	silent bool
	// pasted is how a text is shown to others: it says less than what brought the text
	pasted bool
}

// entries are the layers, in the order in which they are looked for: those that nothing else looks like come first.
var entries = []entry{
	{layer: Colors, find: findColors, silent: true},
	{layer: Printable, find: findPrintable, silent: true},
	{layer: Page, find: findPage, silent: true},
	{layer: Entities, find: findEntities, silent: true},
	{layer: Blanks, find: findBlanks, silent: true},
	{layer: Quotes, find: findQuotes, silent: true},
	{layer: Escapes, find: findEscapes, silent: true},
	{layer: Fence, find: findFence, silent: true},
	{layer: Ticks, find: findTicks, silent: true},
	{layer: Psql, find: findPsql},
	{layer: Quoted, find: findQuoted, pasted: true},
	{layer: Box, find: findBox, pasted: true},
	{layer: Diff, find: findDiff, pasted: true},
	{layer: Comment, find: findComment, pasted: true},
	{layer: Bullet, find: findBullet, silent: true},
	{layer: Compose, find: findCompose},
	{layer: Pod, find: findPod},
	{layer: Svlogd, find: findSvlogd},
	{layer: Heroku, find: findHeroku},
	{layer: Syslog, find: findSyslog},
	{layer: Job, find: findJob},
	{layer: Timestamps, find: findTimestamps},
	{layer: Chat, find: findChat, silent: true},
	{layer: Grep, find: findGrep, silent: true},
	{layer: Numbers, find: findNumbers, silent: true},
	{layer: Times, find: findTimes, silent: true},
	{layer: Host, find: findHost, silent: true},
	{layer: Strings, find: findStrings, silent: true},
	{layer: Literal, find: findLiteral, silent: true},
	{layer: Mark, find: findMark, silent: true},
	{layer: Objects, find: findObjects},
	{layer: Indent, find: findIndent, silent: true},
	{layer: Folded, find: findFolded, silent: true},
}

// Text takes off a text what it was pasted in.
func (r *Reader) Text(b []byte) Text {
	var t Text
	text, layers := decoded(b)
	t.Layers = layers
	lines := split(text)
	if bytes.Count(text, []byte("<span")) >= leastSpans && r.sample(lines).empty() {
		lines = split(span.Regexp().ReplaceAll(text, nil)) // a page highlighted parts of words
		t.Layers = append(t.Layers, Page)
	}
	for len(t.Layers) < maxLayers {
		s := r.sample(lines)
		e, c := next(s, t.Layers)
		if e == nil {
			break
		}
		lines = applied(c, lines)
		t.Layers = append(t.Layers, e.layer)
	}
	t.Lines = make([]Line, len(lines))
	for i, l := range lines {
		t.Lines[i] = Line{string(l.text), l.number}
	}
	return t
}

// next is the outermost layer of a sample that was not taken off twice already.
func next(s *sample, before []Layer) (*entry, cut) {
	if s.empty() {
		return nil, nil
	}
	for i := range entries {
		e := &entries[i]
		times := 0
		for _, l := range before {
			if l == e.layer {
				times++
			}
		}
		// A layer within itself is a quoted quote, or a log of a log.
		if times > 1 || slices.Contains(s.Own, e.layer) {
			continue
		}
		s.name = ""
		if c := e.find(s); c != nil {
			return e, c
		}
	}
	return nil, nil
}

// applied is lines without a layer.
func applied(c cut, lines []line) []line {
	size := 0
	for _, l := range lines {
		size += len(l.text) + 1
	}
	out := make([]line, 0, len(lines))
	given := 0
	give := func(l line) {
		if given += len(l.text) + 1; given > 2*size+maxLine {
			return
		}
		out = append(out, line{bytes.Clone(l.text), l.number})
	}
	for _, l := range lines {
		if len(l.text) > maxLine {
			give(l)
			continue
		}
		c(l, give)
	}
	c(line{nil, -1}, give)
	return out
}

// split makes lines of a text.
func split(text []byte) []line {
	out := make([]line, 0, bytes.Count(text, []byte{'\n'})+1)
	for len(text) > 0 {
		l, rest, _ := bytes.Cut(text, []byte{'\n'})
		out = append(out, line{l, len(out) + 1})
		text = rest
	}
	return out
}
