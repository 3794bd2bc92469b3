package pasted

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// formatSigns are lines that a plan has in one format alone.
var formatSigns = []*regex.Regex{
	regex.New(`^[ |"]*(?:->)? *[A-Z][^:=]*\((?:cost=|actual )`), // text
	regex.New(`"Node Type" ?: ?"`),
	regex.New(`<Node-Type>`),
	regex.New(`^[ |-]*Node Type: "`),
}

// formatBegins are the lines that a plan of a format begins with, above its first sign. One of text begins with it.
var formatBegins = []*regex.Regex{
	nil,
	regex.New(`^[ |]*(?:\[|\{ *(?:"Plan|"Query Text|$|\+))`),
	regex.New(`<explain\b`),
	regex.New(`^[ |]*(?:- )?(?:Plan|Query Text):`),
}

// Formats cuts a text where a plan of another format begins, as who shows what the formats look like, or a log whose
// auto_explain.log_format was changed, has them one after the other. A text of one format is one part.
func Formats(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	var parts []string
	now, last, from := -1, 0, 0
	for i, l := range lines {
		f := formatOf(l)
		if f < 0 {
			continue
		}
		if now >= 0 && f != now {
			at := last + 1 + turn(lines[last+1:i+1], now, f)
			parts, from = append(parts, strings.Join(lines[from:at], "")), at
		}
		now, last = f, i
	}
	if len(parts) == 0 {
		return []string{text}
	}
	return append(parts, strings.Join(lines[from:], ""))
}

// formatOf is the format of which a line is a sign; negative where it is of none.
func formatOf(l string) int {
	for f, sign := range formatSigns {
		if sign.MatchString(l) {
			return f
		}
	}
	return -1
}

// formatEnds is how the last line of a plan ends, where that is known.
var formatEnds = []*regex.Regex{nil, regex.New(`[\]}][ +|"]*$`), regex.New(`</explain>[ +|"]*$`), nil}

// turn is where, in the lines behind the last sign of a plan up to the first of the next one, the first ends: at an
// empty line or the end of its rows, or where the next one begins.
func turn(lines []string, now, next int) int {
	ended := formatEnds[now] == nil
	for i, l := range lines {
		bare := strings.TrimSpace(l)
		switch {
		case ended && (bare == "" || strings.HasPrefix(bare, "```")), RowsEnd.MatchString(bare):
			return i + 1
		case formatBegins[next] != nil && formatBegins[next].MatchString(l), Logged.MatchString(l):
			return i
		case bare != "" && formatEnds[now] != nil:
			ended = formatEnds[now].MatchString(bare)
		}
	}
	return len(lines) - 1
}
