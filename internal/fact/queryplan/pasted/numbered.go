package pasted

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// lineNumber is the number of a line that a person put before it.
var lineNumber = regex.New(`^ *(\d{1,4})([.)]?)(?: |$)`)

// leastNumbered lines that count from one, or above it, are no figures.
const leastNumbered = 3

// WithoutNumbers takes the numbers off the lines of a plan: they go up by one, and a node is among the lines.
func WithoutNumbers(lines []string) {
	for i := 0; i < len(lines); {
		last, nodes, j := 0, false, i
		for ; j < len(lines); j++ {
			m := lineNumber.FindStringSubmatchIndex(lines[j])
			if m == nil {
				break
			}
			n, err := strconv.Atoi(lines[j][m[2]:m[3]])
			if err != nil || j > i && n != last+1 {
				break
			}
			last, nodes = n, nodes || marks(lines[j])
		}
		if j-i >= leastNumbered && nodes {
			for k := i; k < j; k++ {
				lines[k] = lines[k][lineNumber.FindStringSubmatchIndex(lines[k])[5]:]
			}
		}
		i = max(j, i+1)
	}
}

// marks says whether a line has the figures of a node.
func marks(l string) bool {
	return slices.ContainsFunc(Marks, func(m string) bool { return strings.Contains(l, m) })
}

// halfQuoted is a line of CSV whose first quote a person took off: the last one, and the doubled ones, are left.
var halfQuoted = regex.New(`(?m)^[^"\n]*[^"\n=]""\w[^"\n]*""[^\n]*[^"\n]" *$`)

// HalfQuoted says whether a text has such lines.
func HalfQuoted(text string) bool {
	return halfQuoted.MatchString(text) && !strings.Contains(text, `"Plan":`)
}

// Unquoted is a line of such a text as it was.
func Unquoted(l string) string {
	if strings.Count(l, `"`)%2 == 1 {
		l = strings.TrimSuffix(l, `"`)
	}
	return strings.ReplaceAll(l, `""`, `"`)
}

// UnquotedNames takes the quotes off identifiers, as JSON writes them bare.
func UnquotedNames(head string) string {
	if !strings.Contains(head, `"`) {
		return head
	}
	var b strings.Builder
	inside := false
	for i := 0; i < len(head); i++ {
		if head[i] != '"' {
			b.WriteByte(head[i])
			continue
		}
		if inside && i+1 < len(head) && head[i+1] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		inside = !inside
	}
	return b.String()
}
