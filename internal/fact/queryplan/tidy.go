package queryplan

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan/pasted"
)

var rule = regex.New(`^[\s+|─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣-]*[-─━═]{3,}[\s+|─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣-]*$`)

// quotedProperty is a line that a client quoted for its comma, where the others have none.
var quotedProperty = regex.New(`(?m)^[ \t]*" *(?:[A-Z][A-Za-z]*(?: [A-Za-z]+){0,4}: |->).*"[ \t]*$`)

// tidy takes off what carries a plan but is none: borders of psql and of Markdown, quotes
// of pgAdmin and of CSV, the «+» by which psql joins lines of one value. Columns stay in
// order, as indentation makes the tree.
func tidy(text string) []string {
	lines := tidyRaw(text)
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

// tidyRaw is tidy, but keeps one of the blanks at the end of a line: it tells whether a
// line was cut within a word.
func tidyRaw(text string) []string {
	if strings.Contains(text, `""Plan""`) { // JSON as one value of CSV
		text = strings.NewReplacer(`""`, `"`, `"[`, `[`, `]"`, `]`).Replace(text)
	}
	in := strings.Split(text, "\n")
	half := pasted.HalfQuoted(text)
	quoted := (strings.Contains(text, ")\"") || quotedProperty.MatchString(text)) && !strings.Contains(text, `"Plan":`)
	out := make([]string, 0, len(in))
	joined := 0
	for _, raw := range in {
		l := strings.TrimRight(raw, " ")
		bare := strings.TrimSpace(l)
		if bare == "" || strings.HasPrefix(bare, "```") {
			out = append(out, "")
			continue
		}
		if bare == "--" || rule.MatchString(l) || pasted.RowsEnd.MatchString(bare) || isTitle(bare) {
			continue
		}
		bordered := unborder(l)
		last := bordered == l && len(l) < len(raw)
		l = strings.ReplaceAll(bordered, "\t", "        ")
		if quoted {
			l = unquote(l)
		}
		if half {
			l = pasted.Unquoted(l)
		}
		if strings.HasSuffix(l, "+") {
			joined++
		}
		if last {
			l += " "
		}
		out = append(out, l)
	}
	pasted.WithoutNumbers(out)
	if !strings.Contains(text, "Node Type") && !strings.Contains(text, "Node-Type") {
		out = pasted.ByHand(out)
	}
	for i, l := range out {
		if t := strings.TrimRight(l, " "); joined > 1 && strings.HasSuffix(t, "+") { // psql pads all but the longest
			out[i] = strings.TrimRight(t[:len(t)-1], " ")
		}
	}
	return out
}

// isTitle says whether a line is the name of the column: psql centres it.
func isTitle(bare string) bool {
	return strings.Trim(bare, "|│║ ") == "QUERY PLAN" || bare == `"QUERY PLAN"`
}

// unborder takes off the borders of psql's \pset border 2 and unicode lines: they
// stand at both ends of a line.
func unborder(l string) string {
	for _, bar := range []string{"|", "│", "║"} {
		t := strings.TrimSpace(l)
		if !strings.HasPrefix(t, bar) {
			continue
		}
		t = strings.TrimPrefix(t, bar)
		t = strings.TrimSuffix(t, bar)
		return strings.TrimRight(t, " ")
	}
	for _, bar := range []string{"|", "│", "║"} { // one border only, cut off at the left
		if t := strings.TrimRight(l, " "); strings.HasSuffix(t, " "+bar) {
			return strings.TrimRight(strings.TrimSuffix(t, bar), " ")
		}
	}
	return l
}

// unquote takes off the quotes of pgAdmin and CSV, where a line is one value.
func unquote(l string) string {
	t := strings.TrimSpace(l)
	if len(t) > 1 && t[0] == '"' && strings.Count(t, `"`) == 1 { // the text ends within it
		return t[1:]
	}
	if len(t) < 2 || t[0] != '"' || t[len(t)-1] != '"' {
		return l
	}
	in := t[1 : len(t)-1]
	return strings.ReplaceAll(in, `""`, `"`)
}
