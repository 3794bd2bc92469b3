package pasted

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// remarked is the mark of a comment before a line, or that of what knitr printed. A rule of dashes stays one without
// two of them, and «-->» is an arrow that a person drew.
var remarked = regex.New(`^[ \t]*(?:(#>)|(#+|//+|--)(?:[^>]|$))`)

// unremark takes the mark of a comment off adjacent lines that hold a plan: a script has what it printed below its
// statements, which are lines of code. Comments without a plan stay what they are.
func unremark(lines []string) {
	for from := 0; from < len(lines); {
		mark := remarkOf(lines[from])
		end, plan := from, false
		for ; end < len(lines) && mark != "" && remarkOf(lines[end]) == mark; end++ {
			plan = plan || marked.MatchString(lines[end])
		}
		for i := from; plan && i < end; i++ {
			_, lines[i], _ = strings.Cut(lines[i], mark)
		}
		from = max(end, from+1)
	}
}

// remarkOf is the mark of a comment that a line begins with; "" where it has none.
func remarkOf(l string) string {
	m := remarked.FindStringSubmatch(l)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}
