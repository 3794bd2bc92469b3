// Package term writes outlines as text for a terminal. Whatever came from outside is made harmless to it before.
package term

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// page collects text for a terminal. Colors are given by meaning; without Style.Color they vanish, so nothing may be
// said by color alone.
type page struct {
	outline.Words
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

// toneOf is how a terminal shows the meaning of a paragraph.
func toneOf(t outline.Tone) tone {
	return map[outline.Tone]tone{outline.ToneBad: red, outline.ToneMind: yellow, outline.ToneGood: green,
		outline.ToneNote: faint, outline.ToneInfo: cyan}[t]
}

// lookTones are how a terminal shows pieces of text.
var lookTones = map[outline.Look]tone{outline.AsStrong: strong, outline.AsFaint: faint, outline.AsInfo: cyan,
	outline.AsBad: red}

// minWidth is the least width that text is wrapped to: below it, one word per line is unreadable.
const minWidth = 40

func newPage(st Style) *page {
	st.Width = max(st.Width, minWidth)
	return &page{Words: outline.WordsIn(st.Words), st: st}
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

func (p *page) gap() { p.b.WriteByte('\n') }

// Style is what the reader's terminal can take.
type Style struct {
	Width int // columns; texts are wrapped to it, values and addresses never are
	Color bool
	Links bool           // the terminal understands hyperlinks (OSC 8)
	Words *say.Catalogue // the reader's language; nil is English
	ASCII bool           // pictures are drawn without signs beyond ASCII
	Below bool           // other text stands above: an empty line comes first
}

// Under is the style of a document below other text.
func (s Style) Under() Style {
	s.Below = true
	return s
}
