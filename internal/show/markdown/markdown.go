// Package markdown writes outlines, and the pages of docs/, in GitHub-flavored Markdown.
package markdown

import (
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Write writes an outline in GitHub-flavored Markdown, suitable for a ticket or a merge request. Nothing in the
// outline's texts is interpreted as markup, as HTML, as a link, or as a user to notify.
func Write(w io.Writer, o outline.Outline) error {
	var b strings.Builder
	markdownBlocks(&b, outline.Plain(o), "")
	_, err := io.WriteString(w, strings.TrimLeft(b.String(), "\n"))
	return err
}

// markdownBlocks writes blocks, each after an empty line; indent goes before every line.
func markdownBlocks(b *strings.Builder, list []outline.Block, indent string) {
	for _, block := range list {
		if f, picture := block.(outline.Figure); picture {
			block = outline.Listing{Lines: drawing(f)}
		}
		if !nothing(block) {
			b.WriteByte('\n')
			markdownBlock(b, block, indent)
		}
	}
}

// pictureWidth is what a ticket shows of a listing without scrolling.
const pictureWidth = 90

// drawing is the picture of a figure as lines of signs.
func drawing(f outline.Figure) []string {
	var out []string
	if f.Picture == nil {
		return nil
	}
	for _, l := range f.Picture.Draw(pictureWidth, false) {
		out = append(out, strings.TrimRight(l.String(), " "))
	}
	return out
}

// nothing reports whether there is nothing to write.
func nothing(block outline.Block) bool {
	switch v := block.(type) {
	case outline.Heading:
		return markdownProse(v.Text, inHeading) == ""
	case outline.Para:
		return markdownProse(v.Text, inBlock) == ""
	case outline.List:
		return len(v.Items) == 0
	case outline.Listing:
		return len(v.Lines) == 0
	}
	return false
}

func markdownBlock(b *strings.Builder, block outline.Block, indent string) {
	line := func(s string) { b.WriteString(strings.TrimRight(indent+s, " ") + "\n") }
	switch v := block.(type) {
	case outline.Heading:
		line(strings.Repeat("#", v.Level) + " " + markdownProse(v.Text, inHeading))
	case outline.Para:
		line(markdownProse(v.Text, inBlock))
	case outline.List:
		for _, it := range v.Items {
			line("- " + markdownProse(it.Text, inBlock))
			first := true
			for _, more := range it.More {
				if nothing(more) {
					continue
				}
				// A paragraph would go on with the line above; lists and listings start a new block.
				if _, text := more.(outline.Para); text || !first {
					b.WriteByte('\n')
				}
				first = false
				markdownBlock(b, more, indent+"  ")
			}
		}
	case outline.Table:
		row := func(of func(i int) string) {
			var r strings.Builder
			for i := range v.Head {
				r.WriteString("| " + of(i) + " ")
			}
			line(r.String() + "|")
		}
		row(func(i int) string { return markdownProse(outline.Join(v.Head[i]), inCell) })
		row(func(i int) string {
			if v.Numbers > 0 && i >= v.Numbers {
				return "---:"
			}
			return "---"
		})
		for _, cells := range v.Rows {
			row(func(i int) string {
				if i >= len(cells) {
					return ""
				}
				return markdownProse(cells[i], inCell)
			})
		}
	case outline.Listing:
		fence, form := "```", ""
		for _, l := range v.Lines {
			for strings.Contains(l, fence) {
				fence += "`"
			}
		}
		if v.Diff {
			form = "diff"
		}
		line(fence + form)
		for _, l := range v.Lines {
			b.WriteString(indent + typeset.Clean(l) + "\n")
		}
		line(fence)
	}
}

// where text stands: some signs mean something in one place only.
type where int

const (
	inHeading where = iota
	inBlock         // at the begin of a line
	inCell          // between the bars of a table
)

// markdownProse writes text of one paragraph, heading or cell.
func markdownProse(p outline.Prose, at where) string {
	cell := at == inCell
	var b strings.Builder
	for i := 0; i < len(p); {
		// Neighbours that look alike are one text, in which a link is seen whole.
		j, text := i, ""
		for ; j < len(p) && spelled(p[j].As) == spelled(p[i].As) && p[j].URL == p[i].URL; j++ {
			text += oneLine(p[j].Text)
		}
		switch p[i].As {
		case outline.AsCode, outline.AsCommand, outline.AsSign:
			text = markdownCode(text, cell)
		case outline.AsStrong:
			if text = strings.TrimSpace(text); text != "" {
				text = "**" + markdownText(text, false, cell) + "**"
			}
		default:
			text = markdownText(text, b.Len() == 0 && at == inBlock, cell)
		}
		if url := p[i].URL; url != "" {
			text = "[" + text + "](<" + url + ">)"
		}
		if strings.HasSuffix(b.String(), "`") && strings.HasPrefix(text, "`") {
			b.WriteByte(' ') // two spans side by side would be read as one
		}
		b.WriteString(text)
		i = j
	}
	return strings.TrimSpace(b.String())
}

// spelled is the look that a piece has in Markdown, where code takes marks around it.
func spelled(as outline.Look) outline.Look {
	if as == outline.AsName {
		return outline.AsText
	}
	return as
}

// oneLine makes white space of all kinds one space, as every reader of Markdown
// does; what is hidden, or is no UTF-8, is spelled out.
func oneLine(s string) string {
	var b strings.Builder
	space := false
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
		} else {
			b.WriteString(s[i : i+n])
			space = false
		}
		i += n
	}
	return typeset.Clean(b.String())
}

// linked are words that GitHub or GitLab make links of, or notifications,
// backslashes before them notwithstanding: addresses, @names, #numbers.
var linked = regexp.MustCompile(`(?i)://|www\.|mailto:|xmpp:|.@|@.|#[0-9]|\bgh-[0-9]|![0-9]`)

// markdownText escapes text. first says that it begins a block, where some more
// signs have a meaning.
func markdownText(s string, first, cell bool) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		switch {
		case w == "":
		case linked.MatchString(w):
			words[i] = markdownCode(w, cell)
		default:
			words[i] = markdownWord(w, first, cell)
		}
		first = first && w == ""
	}
	return strings.Join(words, " ")
}

// ordered begins a list with numbers.
var ordered = regexp.MustCompile(`^([0-9]+)([.)])$`)

func markdownWord(w string, first, cell bool) string {
	if m := ordered.FindStringSubmatch(w); first && m != nil {
		return m[1] + `\` + m[2]
	}
	var b strings.Builder
	before := ' '
	for i, r := range w {
		next, _ := utf8.DecodeRuneInString(w[i+utf8.RuneLen(r):])
		escape := false
		switch r {
		case '\\', '`', '*', '[', ']', '<', '~', '$', '{':
			escape = true
		case '|':
			escape = cell || first && i == 0
		case '_': // within a word it is itself
			escape = !letter(before) || !letter(next)
		case '#':
			escape = !letter(before)
		case '&':
			escape = next == '#' || letter(next)
		case '>', '+', '-', '=', ':':
			escape = first && i == 0
		}
		if escape {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// markdownCode writes a code span. Within a cell a bar behind a backslash stands
// between two spans: readers take those two apart differently.
func markdownCode(s string, cell bool) string {
	if s == "" {
		return ""
	}
	if cell {
		if before, after, cut := strings.Cut(s, `\|`); cut {
			return markdownCode(before+`\`, true) + `\|` + markdownCode(after, true)
		}
		s = strings.ReplaceAll(s, "|", `\|`)
	}
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") ||
		strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return marks + s + marks
}
