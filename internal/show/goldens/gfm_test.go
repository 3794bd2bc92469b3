package goldens

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// The reader below knows of GitHub-flavoured Markdown (github.github.com/gfm) what
// our documents use, and nothing of how they are written: headings, paragraphs,
// lists of "-", tables, fenced code; in a line escapes, code spans and **. Whatever
// else would be markup is an error.

var (
	gfmHeading = regexp.MustCompile(`^#{1,6} (.*)$`)
	gfmItem    = regexp.MustCompile(`^( *)- ?(.*)$`)
	gfmFence   = regexp.MustCompile("^( *)(`{3,})([a-z]*)$")
	// what a reader makes of text that is not escaped: HTML, links, references
	gfmMarkup = regexp.MustCompile(`(?i)[<\[\]*~$|{` + "`" +
		`]|://|www\.|mailto:|xmpp:|@[^\s\x01\x02]|[^\s\x01\x02]@|#[0-9]|\bgh-[0-9]|![0-9]`)
	// at the begin of a block they would make another one
	gfmBegin = regexp.MustCompile(`^(#{1,6}( |$)|[-+>=]|[0-9]{1,9}[.)]( |$))`)
)

// gfmDocument is what was read, and what is wrong with it.
type gfmDocument struct {
	texts []string // of headings, paragraphs, entries, cells and lines of code
	wrong []string
}

func gfmWrong(text string) []string { return readGFM(text).wrong }
func gfmRead(text string) []string  { return readGFM(text).texts }

func readGFM(text string) *gfmDocument {
	d := &gfmDocument{}
	fault := func(n int, format string, args ...any) {
		d.wrong = append(d.wrong, fmt.Sprintf("line %d: ", n+1)+fmt.Sprintf(format, args...))
	}
	if !strings.HasSuffix(text, "\n") {
		fault(0, "no line end at the end")
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	fence, indent := "", ""
	columns := 0 // of the table that we are in
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if strings.ContainsFunc(l, typeset.Hidden) {
			fault(i, "something hidden is in it: %q", l)
		}
		if fence != "" {
			switch {
			case strings.TrimSpace(l) == fence:
				fence = ""
			case !strings.HasPrefix(l, indent):
				fault(i, "a line of code left of its fence")
			default:
				d.texts = append(d.texts, strings.TrimPrefix(l, indent))
			}
			continue
		}
		if m := gfmFence.FindStringSubmatch(l); m != nil {
			indent, fence, columns = m[1], m[2], 0
			continue
		}
		if strings.TrimRight(l, " ") != l && strings.TrimSpace(l) != "" {
			fault(i, "a space at the end: %q", l)
		}
		if l == "" {
			columns = 0
			if i > 1 && lines[i-1] == "" && lines[i-2] == "" {
				fault(i, "several empty lines")
			}
			continue
		}
		if strings.HasPrefix(l, "|") {
			cells, whole := gfmCells(l)
			if !whole {
				fault(i, "cells: the row does not end with a bar")
			}
			if columns == 0 {
				columns = len(cells)
				next := []string{}
				if i+1 < len(lines) {
					next, _ = gfmCells(lines[i+1])
				}
				if len(next) != columns {
					fault(i, "cells: a head of %d, marks for %d", columns, len(next))
				}
				for _, mark := range next {
					if !regexp.MustCompile(`^-+:?$`).MatchString(mark) {
						fault(i+1, "cells: %q is no mark", mark)
					}
				}
				i++
			}
			if len(cells) != columns {
				fault(i, "cells: %d where the head has %d", len(cells), columns)
			}
			for _, c := range cells {
				d.inline(c, func(format string, args ...any) { fault(i, format, args...) })
			}
			continue
		}
		columns = 0
		body, begins := l, true
		if m := gfmHeading.FindStringSubmatch(l); m != nil {
			body, begins = m[1], false
			if regexp.MustCompile(`(^| )#+$`).MatchString(body) {
				fault(i, "heading: marks at its end")
			}
		} else if m := gfmItem.FindStringSubmatch(l); m != nil {
			body = m[2]
			if len(m[1])%2 != 0 {
				fault(i, "an entry between two depths")
			}
		} else if strings.HasPrefix(l, "#") {
			fault(i, "heading without a space")
		} else {
			body = strings.TrimLeft(l, " ")
		}
		if begins && gfmBegin.MatchString(body) {
			fault(i, "it begins another block: %q", body)
		}
		d.inline(body, func(format string, args ...any) { fault(i, format, args...) })
	}
	if fence != "" {
		fault(len(lines)-1, "code that is never closed")
	}
	return d
}

// gfmCells divides a row at its bars: those that no backslash is before, as an even number of them would be another
// one's.
func gfmCells(l string) (cells []string, whole bool) {
	var b strings.Builder
	for i := 1; i < len(l); i++ {
		switch {
		case l[i] == '\\' && i+1 < len(l) && l[i+1] == '|':
			b.WriteString(`\|`)
			i++
		case l[i] == '|':
			cells = append(cells, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			b.WriteByte(l[i])
		}
	}
	for i, c := range cells { // the table takes these backslashes away before anything else is read
		cells[i] = strings.ReplaceAll(c, `\|`, "|")
	}
	return cells, strings.TrimSpace(b.String()) == "" && len(cells) > 0
}

// gfmLink is a link with its address in angle brackets, in which nothing acts; gfmEscape what is escaped in its text.
var (
	gfmLink   = regexp.MustCompile(`^\[((?:[^\[\]\\<>]|\\.)+)\]\(<https://[^<>\s]+>\)`)
	gfmEscape = regexp.MustCompile(`\\(.)`)
)

// inline reads one line of text; cells have their bars back already.
func (d *gfmDocument) inline(s string, fault func(string, ...any)) {
	var text strings.Builder
	var open strings.Builder // what stands outside code, where markup would act
	strongs := 0
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0:
			text.WriteByte(s[i+1])
			open.WriteByte('\x01') // escaped: it can begin no markup
			i += 2
		case s[i] == '`':
			n := 1
			for i+n < len(s) && s[i+n] == '`' {
				n++
			}
			end := gfmClose(s, i+n, n)
			if end < 0 {
				fault("code that is never closed: %q", s[i:])
				return
			}
			body := s[i+n : end]
			if len(body) > 1 && body[0] == ' ' && body[len(body)-1] == ' ' && strings.Trim(body, " ") != "" {
				body = body[1 : len(body)-1]
			}
			text.WriteString(body)
			open.WriteByte('\x02')
			i = end + n
		case gfmLink.MatchString(s[i:]): // to a source: its text is read, its address is not
			m := gfmLink.FindStringSubmatch(s[i:])
			text.WriteString(gfmEscape.ReplaceAllString(m[1], "$1"))
			open.WriteByte('\x02')
			i += len(m[0])
		case strings.HasPrefix(s[i:], "**"):
			strongs++
			open.WriteByte('\x02')
			i += 2
		default:
			text.WriteByte(s[i])
			open.WriteByte(s[i])
			i++
		}
	}
	if strongs%2 != 0 {
		fault("strong text that is not closed: %q", s)
	}
	rest := strings.ReplaceAll(open.String(), "|", "") // in a cell they are its own, elsewhere no table begins with one
	if m := gfmMarkup.FindString(rest); m != "" {
		fault("%q stands outside of code: %q", m, s)
	}
	for i, r := range rest {
		if r == '&' && regexp.MustCompile(`^&(#[0-9xX]|[A-Za-z])`).MatchString(rest[i:]) {
			fault("an entity outside of code: %q", s)
		}
	}
	d.texts = append(d.texts, text.String())
}

// gfmClose finds a run of exactly n backticks.
func gfmClose(s string, from, n int) int {
	for i := from; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		k := 1
		for i+k < len(s) && s[i+k] == '`' {
			k++
		}
		if k == n {
			return i
		}
		i += k
	}
	return -1
}
