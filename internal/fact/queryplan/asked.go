package queryplan

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// typed is a line on which a person asked for a plan, behind a client's prompt or at its beginning.
	typed = regex.New(`(?i)^(?:(?:text|plaintext|console|(?:p|pg|postgre)?sql) )?` +
		`(?:[^\s#>=]{0,80}[ :]?[^\s#>=]{0,80}=?[-=(*!']?[#>] ?)?` +
		`explain\b((?:\s*\([^()]*\)|\s+analy[sz]e\b|\s+verbose\b)*)`)
	// goesPrompt is the prompt of a line that goes on.
	goesPrompt = regex.New(`^[^\s#>]{0,80}[-('*"$][#>] `)
	// statement is what EXPLAIN explains.
	statement = regex.New(`(?i)^(?:with|select|insert|update|delete|merge|execute|values|table|create|declare|` +
		`refresh)\b`)
	// shown is what stands between a statement and its plan on one line of a page.
	shown = regex.New(`(?i)(?:;| )\s*QUERY PLAN\s*-*$`)
)

// maxAsked bounds the lines of a statement that a person typed.
const maxAsked = 500

// asked gathers the statement that a person typed above a plan: a plan does not tell it.
type asked struct {
	lines []string
	open  bool // it goes on in the next line
}

// line takes a line that is above a plan. A statement ends at its semicolon, or where an empty line is.
func (a *asked) line(text string) {
	if m := typed.FindStringIndex(text); m != nil {
		*a = asked{open: true}
		text = text[m[1]:]
	} else if a.open {
		text = strings.TrimPrefix(text, goesPrompt.FindString(text))
	}
	if !a.open {
		return
	}
	text = strings.TrimSpace(shown.ReplaceAllString(text, ""))
	if text == "" && len(a.lines) > 0 || len(a.lines) >= maxAsked {
		a.open = false
		return
	}
	if rest, ok := strings.CutSuffix(text, ";"); ok {
		text, a.open = rest, false
	}
	if text != "" {
		a.lines = append(a.lines, text)
	}
}

// take hands the statement over; "" where none was typed.
func (a *asked) take() string {
	text := strings.TrimSpace(strings.Join(a.lines, "\n"))
	*a = asked{}
	if !statement.MatchString(text) {
		return ""
	}
	return text
}

// askedIn is the statement that a text ends with.
func askedIn(text string) string {
	var a asked
	for l := range strings.SplitSeq(text, "\n") {
		if isTitle(strings.TrimSpace(l)) || rule.MatchString(l) {
			a.open = false
			continue
		}
		a.line(strings.TrimSpace(l))
	}
	return a.take()
}

// createIndex is a statement that creates an index: its name, or its table and columns if it has none.
var createIndex = regex.New(`(?i)\bcreate (?:unique )?index (?:concurrently )?(?:if not exists )?` +
	`(?:(?:on (?:only )?"?([\w.]+)"?(?: using \w+)? ?\(([\w, ]+)\))|"?([\w$]+)"?)`)

// createdIn are the names of the indexes that a text creates.
func createdIn(text string) []string {
	if !strings.Contains(text, "INDEX") && !strings.Contains(text, "ndex") {
		return nil
	}
	var out []string
	for _, m := range createIndex.FindAllStringSubmatch(text, 20) {
		name := m[3]
		if name == "" { // as the server names it
			table := m[1][strings.LastIndexByte(m[1], '.')+1:]
			name = table + "_" + strings.Join(strings.FieldsFunc(m[2], func(r rune) bool {
				return r == ',' || r == ' '
			}), "_") + "_idx"
		}
		out = append(out, name)
	}
	return out
}
