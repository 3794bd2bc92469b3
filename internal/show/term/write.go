package term

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Write writes an outline as text for a terminal. What a reader looks for first stands last, above the prompt.
func Write(w io.Writer, o outline.Outline, st Style) error {
	p := newPage(st)
	var foot []outline.Para
	p.blocks(o, &foot)
	if len(foot) > 0 && p.b.Len() > 0 {
		p.gap()
	}
	for _, l := range foot {
		p.wrapped("", toneOf(l.Tone), l.Text)
	}
	// Some fonts of terminals lack the narrow space; the other is as wide as any.
	text := strings.ReplaceAll(p.b.String(), string(typeset.NarrowNoBreak), string(typeset.NoBreak))
	if st.Below && text != "" {
		text = "\n" + text
	}
	_, err := io.WriteString(w, text)
	return err
}

// step is how far a part stands within what it belongs to.
const step = "  "

// blocks writes the blocks of a document. Below a heading everything is indented.
func (p *page) blocks(list []outline.Block, foot *[]outline.Para) {
	indent := ""
	var last outline.Block
	for _, block := range list {
		switch v := block.(type) {
		case outline.Summary:
			*foot = append(*foot, v.Lines...)
			continue
		case outline.Contents:
			continue
		case outline.Figure:
			if v.Picture == nil {
				continue
			}
			p.block(block, indent, last)
		case outline.Heading:
			if v.Command {
				continue
			}
			p.heading(v)
			if v.Level > 1 {
				indent = step
			}
		case outline.Finding:
			p.gapBefore()
			indent = step
			p.finding(v)
		default:
			p.block(block, indent, last)
		}
		last = block
	}
}

// heading writes a heading, and after that of a part an empty line.
func (p *page) heading(h outline.Heading) {
	p.gapBefore()
	t := strong
	switch {
	case h.Tone != "":
		t = toneOf(h.Tone)
	case h.Mixed():
		t = plain
	}
	text := h.Text
	if h.Tag != "" {
		p.line(p.styled(text, t), "  ", typeset.Clean(h.Tag))
		return
	}
	if h.Part {
		text = outline.Join("── ", text)
	}
	p.wrapped("", t, text)
	if h.Part && h.Tone == "" {
		p.gap()
	}
}

// gapBefore writes an empty line, but not at the begin.
func (p *page) gapBefore() {
	if p.b.Len() > 0 && !strings.HasSuffix(p.b.String(), "\n\n") {
		p.gap()
	}
}

// apart reports whether a block stands apart from what is next to it.
func apart(b outline.Block) bool {
	switch v := b.(type) {
	case outline.Table:
		return !v.Close
	case outline.Figure:
		return !v.Close
	case outline.Changes, outline.Fields:
		return true
	}
	return false
}

// block writes one block behind an indent; last is the block before it.
func (p *page) block(block outline.Block, indent string, last outline.Block) {
	_, headed := last.(outline.Heading)
	if (apart(block) || apart(last)) && !headed && last != nil {
		p.gapBefore()
	}
	switch v := block.(type) {
	case outline.Para:
		if v.Apart && !headed {
			p.gapBefore()
		}
		p.wrapped(indent, toneOf(v.Tone), v.Text)
	case outline.Rows:
		if _, text := last.(outline.Para); text {
			indent += step
		}
		p.rows(v, indent)
	case outline.List:
		if _, text := last.(outline.Para); text && (v.Kind != outline.Lines || indent == "") {
			indent += step
		}
		p.list(v, indent)
	case outline.Listing:
		for _, l := range v.Lines {
			p.line(indent, step, p.tint(listingTone(v, l), typeset.Clean(l)))
		}
	case outline.Fields:
		p.fields(v, indent)
	case outline.Changes:
		p.changeRows(v.List, indent)
	case outline.Table:
		p.table(v, step)
	case outline.Figure:
		for _, l := range v.Picture.Draw(p.st.Width-len(step), p.st.ASCII) {
			p.line(step, p.styled(l, plain))
		}
	}
}

func listingTone(v outline.Listing, line string) tone {
	if v.Diff && line != "" {
		return map[byte]tone{'-': green, '+': red}[line[0]]
	}
	return plain
}

// marks are before the entries of lists.
var marks = map[outline.Kind]struct {
	mark string
	tone tone
}{outline.Points: {"- ", plain}, outline.Evidence: {"· ", plain}, outline.Steps: {"→ ", cyan},
	outline.Gaps: {"~ ", plain}, outline.Warnings: {"! ", plain}}

func (p *page) list(l outline.List, indent string) {
	mark := marks[l.Kind]
	for i, it := range l.Items {
		lead := indent + mark.mark
		if l.Kind == outline.Numbered {
			lead = indent + strconv.Itoa(i+1) + "  "
		}
		t := mark.tone
		for _, other := range []outline.Tone{l.Tone, it.Tone} {
			if other != "" {
				t = toneOf(other)
			}
		}
		p.item(it, lead, t)
	}
}

// item writes an entry and what belongs to it below its text.
func (p *page) item(it outline.Item, lead string, t tone) {
	under := strings.Repeat(" ", typeset.Width(lead))
	if len(it.Text) > 0 {
		p.wrapped(lead, t, it.Text)
	}
	var last outline.Block
	for _, more := range it.More {
		p.block(more, under, last)
		last = more
		if _, text := more.(outline.Para); text {
			last = nil // the entry itself is what a list below it belongs to
		}
	}
}

func (p *page) finding(f outline.Finding) {
	word := typeset.Pad(strings.ToUpper(f.Severity), p.severityColumn())
	p.line(p.tint(toneOf(f.Tone), word), p.tint(strong, typeset.Line(f.Title)),
		p.tint(faint, "  ["+typeset.Clean(f.ID)+"]"))
	p.fields(f.Fields, step)
}

// fields writes names in a column, and beside them what they say.
func (p *page) fields(f outline.Fields, indent string) {
	width := 0
	for _, l := range f.Labels {
		width = max(width, typeset.Width(l))
	}
	for _, x := range f.List {
		width = max(width, typeset.Width(x.Name))
	}
	for _, x := range f.List {
		lead := indent + typeset.Pad(x.Name, width+1)
		for _, it := range x.Items {
			p.item(it, lead, toneOf(x.Tone))
			lead = typeset.Pad("", typeset.Width(lead))
		}
	}
}

// mostCell is what a cell widens its column to: a longer one would push the texts behind it out of sight.
const mostCell = 60

// rows writes the cells before the texts in columns.
func (p *page) rows(r outline.Rows, indent string) {
	width := make([]int, len(r.Longest))
	for c, s := range r.Longest {
		width[c] = typeset.Width(typeset.Clean(s))
	}
	for _, row := range r.List {
		for c := range len(row.Cells) - 1 {
			if c == len(width) {
				width = append(width, 0)
			}
			width[c] = max(width[c], min(typeset.Width(lineOf(row.Cells[c])), mostCell))
		}
	}
	for _, row := range r.List {
		var lead strings.Builder
		lead.WriteString(indent)
		at := typeset.Width(indent)
		n := len(row.Cells) - 1
		for c, cell := range row.Cells[:n] {
			t := plain
			if c == n-1 {
				t = toneOf(row.Tone)
			}
			size := typeset.Width(lineOf(cell))
			space := outline.Prose{{Text: strings.Repeat(" ", max(width[c]-size, 0))}}
			if r.Right && c == 0 {
				cell = append(space, cell...)
			} else {
				cell = append(slices.Clone(cell), space...)
			}
			lead.WriteString(p.styled(cell, t) + step)
			at += max(width[c], size) + len(step)
		}
		under := strings.Repeat(" ", at)
		for _, l := range wrapProse(row.Cells[n], p.st.Width-at) {
			p.line(lead.String(), p.styled(l, plain))
			lead.Reset()
			lead.WriteString(under)
		}
		p.item(outline.Item{More: row.More}, under, plain)
	}
}

// Beyond these, one long name or value would push all others out of sight.
const (
	mostName  = 44
	mostValue = 16
)

// changeRows writes each with its value before and after in columns, and below it what is said of it.
func (p *page) changeRows(list []outline.Change, indent string) {
	name, from, state := 0, 0, 0
	for i := range list {
		name = max(name, typeset.Width(typeset.Clean(list[i].Name)))
		from = max(from, typeset.Width(typeset.Clean(list[i].From)))
		state = max(state, typeset.Width(list[i].State))
	}
	name, from = min(name, mostName), min(from, mostValue)
	under := indent + step + step
	for _, c := range list {
		parts := []string{indent}
		if state > 0 {
			parts = append(parts, p.tint(toneOf(c.StateTone), typeset.Pad(c.State, state)), "  ")
		}
		parts = append(parts, p.tint(strong, typeset.Pad(typeset.Clean(c.Name), name)), "  ",
			typeset.PadLeft(typeset.Clean(c.From), from), " → ", p.tint(green, typeset.Clean(c.To)))
		if c.Risk != "" {
			parts = append(parts, p.tint(toneOf(c.RiskTone), "  "+c.Risk))
		}
		p.line(parts...)
		if c.In != "" {
			p.wrapped(under, faint, outline.Join(c.In))
		}
		if c.Reason != "" {
			p.item(outline.ItemOf(nil, c.Reason), under, plain)
		}
		for _, n := range c.Notes {
			lead := under
			if n.Lead != "" {
				lead += n.Lead + " "
			}
			p.item(outline.ItemOf(nil, n.Text), lead, toneOf(n.Tone))
		}
	}
}

// leastText is what a column of text is not wrapped below.
const leastText = 24

// barCells is the length of a whole bar beside a row.
const barCells = 30

// table writes rows under each other: texts to the left, numbers to the right. A long first column stands last. The
// widest column of text is wrapped where the rows are wider than the terminal.
func (p *page) table(t outline.Table, indent string) {
	columns := make([]int, len(t.Head)) // in the order in which they stand
	for i := range columns {
		columns[i] = i
	}
	if t.Long {
		columns = append(columns[1:], 0)
	}
	rows := append([][]outline.Prose{outline.Cells(t.Head...)}, t.Rows...)
	width := make([]int, len(t.Head))
	for _, r := range rows {
		for c := range r {
			width[c] = max(width[c], typeset.Width(lineOf(r[c])))
		}
	}
	number := func(c int) bool { return t.Numbers > 0 && c >= t.Numbers }
	all, wrapped := len(indent)-2, -1
	for c, w := range width {
		all += w + 2
		if !number(c) && (wrapped < 0 || w > width[wrapped]) {
			wrapped = c
		}
	}
	bars := len(t.Shares) > 0 && all+2+barCells <= p.st.Width
	if over := all - p.st.Width; over > 0 && wrapped >= 0 && width[wrapped] > leastText {
		width[wrapped] = max(width[wrapped]-over, leastText)
	}
	for i, r := range rows {
		tone := plain
		if i == 0 {
			tone = faint
		} else if mark, ok := t.Tones[i-1]; ok {
			tone = toneOf(mark)
		}
		cells := make([][]outline.Prose, len(t.Head)) // the lines of each cell
		most := 1
		for c := range t.Head {
			switch {
			case c >= len(r):
			case c == wrapped && typeset.Width(lineOf(r[c])) > width[c]:
				cells[c] = wrapProse(r[c], width[c])
			default:
				cells[c] = []outline.Prose{r[c]}
			}
			most = max(most, len(cells[c]))
		}
		for l := range most {
			var b strings.Builder
			for k, c := range columns {
				text, plainText := "", ""
				if l < len(cells[c]) {
					text, plainText = p.styled(cells[c][l], tone), lineOf(cells[c][l])
				}
				space := strings.Repeat(" ", max(width[c]-typeset.Width(plainText), 0))
				if number(c) {
					text = space + text
				} else {
					text += space
				}
				if k > 0 {
					b.WriteString("  ")
				}
				b.WriteString(text)
			}
			if bars && i > 0 && l == 0 && i <= len(t.Shares) && t.Shares[i-1] >= 0 {
				b.WriteString("  " + strings.Repeat("#", min(int(t.Shares[i-1]*barCells+0.5), barCells)))
			}
			p.line(indent, b.String())
		}
	}
}

// lineOf is text as it is on a line, without its looks.
func lineOf(text outline.Prose) string {
	var b strings.Builder
	for _, piece := range text {
		b.WriteString(clean(piece))
	}
	return b.String()
}

// clean is a piece of text on one line, harmless to the terminal. A sign may be blanks, which are its place.
func clean(piece outline.Piece) string {
	if piece.As == outline.AsSign {
		return typeset.Clean(piece.Text)
	}
	return typeset.Clean(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, piece.Text))
}

// wrapProse breaks text at spaces so that no line is longer than width, except for words that are.
func wrapProse(text outline.Prose, width int) []outline.Prose {
	var words []outline.Prose // each of pieces without a space between them
	open := false             // the last word goes on
	for _, piece := range text {
		for i, part := range strings.Split(clean(piece), " ") {
			if i > 0 {
				open = false
			}
			if part == "" {
				continue
			}
			part := outline.Piece{Text: part, As: piece.As, Hue: piece.Hue, URL: piece.URL}
			// Signs that other languages set apart, as French does, begin no line.
			if glue := strings.Trim(part.Text, ":;!?»") == ""; glue && !open && len(words) > 0 {
				part.Text = " " + part.Text
				open = true
			}
			if open {
				words[len(words)-1] = append(words[len(words)-1], part)
			} else {
				words = append(words, outline.Prose{part})
			}
			open = true
		}
	}
	if len(words) == 0 {
		return []outline.Prose{nil}
	}
	lines := []outline.Prose{slices.Clone(words[0])}
	at := typeset.Width(words[0].String())
	for _, w := range words[1:] {
		last := &lines[len(lines)-1]
		n := typeset.Width(w.String())
		if at+1+n > width {
			lines, at = append(lines, slices.Clone(w)), n
			continue
		}
		before := (*last)[len(*last)-1]
		space := outline.Piece{Text: " "}
		if before.As == w[0].As {
			space.As = before.As
		}
		if before.URL == w[0].URL {
			space.URL = before.URL
		}
		*last = append(append(*last, space), w...)
		at += 1 + n
	}
	return lines
}

// styled is one line of text whose pieces look as they are meant; t is the meaning of all of it.
func (p *page) styled(text outline.Prose, t tone) string {
	toneAt := func(piece outline.Piece) tone {
		switch {
		case piece.Hue != "":
			return tone(piece.Hue)
		case t != plain:
			return t
		}
		return lookTones[piece.As]
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		// Neighbors that look alike are colored once.
		j, run := i, ""
		for ; j < len(text) && toneAt(text[j]) == toneAt(text[i]) && text[j].URL == text[i].URL; j++ {
			run += clean(text[j])
		}
		b.WriteString(p.linked(text[i].URL, p.tint(toneAt(text[i]), run)))
		i = j
	}
	return b.String()
}

// linked is text that leads to an address where the terminal understands that (OSC 8).
func (p *page) linked(url, text string) string {
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if !p.st.Links || url == "" || text == "" || strings.ContainsFunc(url, odd) {
		return text
	}
	const link = "\x1b]8;;"
	return link + url + "\x1b\\" + text + link + "\x1b\\"
}

// wrapped writes text wrapped to the width: lead goes before the first line, as many spaces before the others.
func (p *page) wrapped(lead string, t tone, text outline.Prose) {
	indent := strings.Repeat(" ", typeset.Width(lead))
	for _, l := range wrapProse(text, p.st.Width-len(indent)) {
		p.line(lead, p.styled(l, t))
		lead = indent
	}
}

// severityColumn is the width of the longest severity word and two spaces.
func (p *page) severityColumn() int { return typeset.Width(p.LongestSeverity()) + 2 }
