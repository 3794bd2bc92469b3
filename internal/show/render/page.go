package render

import (
	"strings"
	"unicode/utf8"
)

// page collects text for a terminal. Colours are given by meaning; without
// Style.Color they vanish, so nothing may be said by colour alone.
type page struct {
	b  strings.Builder
	st Style
}

// tone is the ANSI code of a meaning.
type tone string

const (
	plain  tone = ""
	strong tone = "1"
	faint  tone = "2"
	red    tone = "1;31"
	yellow tone = "33"
	cyan   tone = "36"
	green  tone = "32"
)

// minWidth is the least width that text is wrapped to: below it, words stand
// one under the other and nobody can read them.
const minWidth = 40

func newPage(st Style) *page {
	st.Width = max(st.Width, minWidth)
	return &page{st: st}
}

func (p *page) tint(t tone, s string) string {
	if !p.st.Color || t == plain || s == "" {
		return s
	}
	return "\x1b[" + string(t) + "m" + s + "\x1b[0m"
}

// line writes one line as it is.
func (p *page) line(parts ...string) {
	s := strings.TrimRight(strings.Join(parts, ""), " ")
	p.b.WriteString(s + "\n")
}

// para writes text wrapped to the width: lead stands before the first line, as
// many spaces before the others. A line of the text that begins with two spaces
// is a command or a listing and stays whole.
func (p *page) para(lead string, t tone, text string) {
	indent := strings.Repeat(" ", runes(lead))
	for _, l := range cleanLines(text) {
		if strings.HasPrefix(l, "  ") {
			p.line(lead, p.tint(t, l))
			lead = indent
			continue
		}
		for _, w := range wrap(l, p.st.Width-runes(indent)) {
			p.line(lead, p.tint(t, w))
			lead = indent
		}
	}
}

func (p *page) gap() { p.b.WriteByte('\n') }

// wrap breaks a line at spaces so that no piece is longer than width, but for
// words that are. It returns one empty piece for an empty line.
func wrap(s string, width int) []string {
	words := glued(strings.Fields(s))
	if len(words) == 0 {
		return []string{""}
	}
	var out []string
	at := words[0]
	for _, w := range words[1:] {
		if runes(at)+1+runes(w) > width {
			out = append(out, at)
			at = w
			continue
		}
		at += " " + w
	}
	return append(out, at)
}

// glued puts signs that other languages set apart, as French does, back to the
// word before them: no line begins with one.
func glued(words []string) []string {
	out := words[:0]
	for _, w := range words {
		if n := len(out); n > 0 && strings.Trim(w, ":;!?»") == "" {
			out[n-1] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

func runes(s string) int { return utf8.RuneCountInString(s) }

// pad fills s with spaces up to width columns.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-runes(s), 0))
}

// padLeft puts spaces before s up to width columns.
func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-runes(s), 0)) + s
}

// count spells a number of things: "1 change", "3 changes".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return digits(n) + " " + many
}
