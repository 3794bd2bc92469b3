package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// inlined is a setting as code within a sentence or a cell.
var inlined = regex.New("`([A-Za-z_][\\w.]{2,62})\\s*[=:]\\s*([^`]{1,100}?)\\s*`")

// inline reads settings that stand as code in one line, as a person sums a configuration up: at least two of them, for
// one alone may be advice.
func (r *reader) inline() Text {
	t := Text{Form: Pasted}
	listed := false
	for _, l := range r.lines {
		n := 0
		for _, m := range inlined.FindAllStringSubmatch(l.text, 64) {
			name := strings.ToLower(m[1])
			if !telling(name) || refused(name, unquote(m[2])) {
				continue
			}
			t.Settings = append(t.Settings, setting(name, unquote(m[2]), l.n))
			n++
		}
		listed = listed || n > 1
	}
	if !listed {
		return Text{Form: Pasted}
	}
	return t
}

// across reads a table whose columns are parameters and whose rows are servers, or sizes of one.
func (r *reader) across() Text {
	t := Text{Form: List}
	var names []string // of the columns; "" for one that is none
	for _, l := range r.lines {
		if !strings.ContainsAny(l.text, "|│") {
			names = nil
			continue
		}
		if rule(strings.TrimSpace(l.text)) {
			continue
		}
		cells := cellsOf(l.text, '|')
		if head, ok := parameters(cells); ok {
			names = head
			continue
		}
		if len(cells) != len(names) {
			continue
		}
		server := strings.Trim(cells[0], " *`_")
		for i, value := range cells {
			if value = unspelled(strings.Trim(value, " *`")); i > 0 && names[i] != "" && valued(value) {
				set := setting(names[i], value, l.n)
				set.Server = server
				t.Settings = append(t.Settings, set)
			}
		}
	}
	return t
}

// parameters returns the parameters that head columns; ok says that there are several, and that the first is headed by
// none.
func parameters(cells []string) (names []string, ok bool) {
	n := 0
	names = make([]string, len(cells))
	for i, c := range cells {
		if name := strings.ToLower(strings.Trim(c, " *`_")); telling(name) {
			names[i] = name
			n++
		}
	}
	return names, n > 1 && names[0] == ""
}
