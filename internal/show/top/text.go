package top

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"

	"charm.land/lipgloss/v2"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// tone is the meaning of a color.
type tone int

const (
	plain tone = iota
	strong
	faint
	good
	warn
	bad
	info
	violet
)

// Each is one of the sixteen colors that every terminal has, as its owner chose them.
var tones = map[tone]lipgloss.Style{
	strong: lipgloss.NewStyle().Bold(true),
	faint:  lipgloss.NewStyle().Faint(true),
	good:   lipgloss.NewStyle().Foreground(lipgloss.Green),
	warn:   lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	bad:    lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true),
	info:   lipgloss.NewStyle().Foreground(lipgloss.Cyan),
	violet: lipgloss.NewStyle().Foreground(lipgloss.Magenta),
}

// Style is what the terminal can take, and the language of who looks at it.
type Style struct {
	Color bool
	ASCII bool // no signs beyond ASCII
	Words outline.Words
}

func (s Style) say(text say.Template, pairs ...any) string { return s.Words.Say(text, pairs...) }

// number writes a number as the reader's language does.
func (s Style) number(n say.Number) string { return s.Words.Value(n) }

// paint gives a text its color. Without colors every text says by itself what its color would.
func (s Style) paint(t tone, text string) string {
	if !s.Color || t == plain || text == "" {
		return text
	}
	return tones[t].Render(text)
}

// none is what is in place of what is not known.
func (s Style) none() string {
	if s.ASCII {
		return "-"
	}
	return "–"
}

// dot parts things that are in one line.
func (s Style) dot() string {
	if s.ASCII {
		return " | "
	}
	return " · "
}

// join puts as many things into one line as it has room for, the first at least.
func (s Style) join(list []string, width int) string {
	out := ""
	for i, text := range list {
		if i > 0 {
			text = s.dot() + text
		}
		if i > 0 && lipgloss.Width(out)+lipgloss.Width(text) > width {
			continue
		}
		out += text
	}
	return s.cut(out, width)
}

func (s Style) dots() string {
	if s.ASCII {
		return "~"
	}
	return "…"
}

// mostMarks is how many marks may stand upon one letter: a script needs two, and a
// name of marks alone would stain the lines above.
const mostMarks = 2

// clean makes a text of any origin fit for one cell: what acts on a terminal is
// spelled out, what terminals disagree about the width of is dropped.
func clean(s string) string {
	s = typeset.Line(s)
	marks := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0xfe00 && r <= 0xfe0f, r >= 0x1f3fb && r <= 0x1f3ff: // variants and skin of pictures
			return -1
		case unicode.Is(unicode.M, r):
			if marks++; marks > mostMarks {
				return -1
			}
		default:
			marks = 0
		}
		return r
	}, s)
}

// cut shortens a text to a number of cells. The text may be painted.
func (s Style) cut(text string, width int) string {
	switch {
	case width <= 0:
		return ""
	case lipgloss.Width(text) <= width:
		return text
	case width == 1:
		return s.dots()
	}
	return lipgloss.NewStyle().MaxWidth(width-1).Render(text) + s.dots()
}

// fill cuts or pads a text to exactly a number of cells, against the left or the
// right side.
func (s Style) fill(text string, width int, left bool) string {
	text = s.cut(text, width)
	blank := strings.Repeat(" ", max(width-lipgloss.Width(text), 0))
	if left {
		return text + blank
	}
	return blank + text
}

// ends puts one text to the left end of a line and one to the right; the left one
// is cut where they meet.
func (s Style) ends(left, right string, width int) string {
	w := lipgloss.Width(right)
	if w == 0 || w+1 >= width {
		return s.cut(left, width)
	}
	left = s.cut(left, width-w-1)
	return left + strings.Repeat(" ", width-w-lipgloss.Width(left)) + right
}

func (s Style) size(v *unit.Bytes) string {
	if v == nil {
		return s.none()
	}
	return s.Words.Value(*v)
}

// ago spells a time for a narrow column: the two largest units of it at most.
func ago(seconds float64) string {
	if math.IsNaN(seconds) || seconds < 0 {
		seconds = 0
	}
	d := time.Duration(min(seconds, 1e9) * float64(time.Second)) // thirty years, far from overflow
	n := int64(d / time.Second)
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case n < 120:
		return fmt.Sprintf("%d s", n)
	case n < 3600:
		return fmt.Sprintf("%d min", n/60)
	case n < 48*3600:
		return fmt.Sprintf("%d:%02d h", n/3600, n/60%60)
	}
	return fmt.Sprintf("%d d", n/86400)
}

func (s Style) age(v *float64) string {
	if v == nil {
		return s.none()
	}
	return s.number(say.Number(ago(*v)))
}

// count spells a number of things: exactly, and from a hundred thousand on in
// thousands, millions, …
func count(v int64) string {
	f := float64(v)
	switch {
	case v < 0:
		return fmt.Sprint(v)
	case f < 1e5:
		return fmt.Sprint(v)
	case f < 1e8:
		return threeDigits(f/1e3) + " k"
	case f < 1e11:
		return threeDigits(f/1e6) + " M"
	}
	return threeDigits(f/1e9) + " G"
}

func threeDigits(f float64) string {
	if f < 9.995 {
		return fmt.Sprintf("%.2f", f)
	}
	if f < 99.95 {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// rate spells how many of a thing happen a second.
func rate(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.01:
		return "<0.01"
	case v < 1e5:
		return threeDigits(v)
	}
	return count(int64(v))
}

func (s Style) rate(v *float64) string {
	if v == nil {
		return s.none()
	}
	return s.number(say.Number(rate(*v)))
}

// percent spells a share with one figure behind the point where it says something.
func percent(v float64) string {
	switch {
	case v == 0 || v >= 99.995:
		return fmt.Sprintf("%.0f", v)
	case v < 0.05:
		return "<0.1"
	case v > 99.9: // of hits the misses are what counts
		return fmt.Sprintf("%.2f", v)
	case v < 10 || v > 90:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func (s Style) percent(v *float64) string {
	if v == nil {
		return s.none()
	}
	return s.number(say.Number(percent(*v)))
}
