package queryplan

import (
	"bytes"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/pglog/wrapped"
)

var (
	// record begins a row of psql's \x, and of clients that have MySQL's \G.
	record = regex.New(`^\s*(?:[-─+┌╔]+\[ .*\d+ \][-─┬+┐═╗]*|\*{3,} *\d+\. row *\*{3,})\s*$`)
	// recordRow is a line of it: the name of the column, or blanks where a value goes on.
	recordRow = regex.New(`^\s?[|│]? ?(?:QUERY PLAN| {10}) ?(?:[|│:]|\+[|│])(?: |$)`)
	// labeled is the label of an entry of a log, in whatever language.
	labeled = regex.New(`\p{Lu}{2,}:  `)
)

// unframe takes off what a client put around the lines: the rows of an expanded display, and the marks by which
// \pset format wrapped goes on in the next line.
func unframe(lines []string) []string {
	rows := false
	for _, l := range lines {
		rows = rows || record.MatchString(l)
	}
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		if rows {
			if record.MatchString(l) {
				continue
			}
			if m := recordRow.FindString(l); m != "" {
				l = l[len(m):]
			}
		}
		if n := len(out); n > 0 {
			if whole, ok := goesOnWrapped(out[n-1], l); ok {
				out[n-1] = whole
				continue
			}
		}
		out = append(out, l)
	}
	return out
}

// goesOnWrapped joins two lines of psql's wrapped format: the first ends with a mark, the next begins with it.
func goesOnWrapped(l, next string) (string, bool) {
	t, bar := l, ""
	for _, b := range []string{"|", "│", "║"} {
		if s, ok := strings.CutSuffix(strings.TrimRight(t, " "), b); ok {
			t, bar = s, b
		}
	}
	t = strings.TrimRight(t, " ")
	next = strings.TrimPrefix(strings.TrimLeft(next, " "), bar)
	for _, mark := range []string{".", "…"} {
		a, ok := strings.CutSuffix(t, mark)
		b, ok2 := strings.CutPrefix(next, mark)
		if ok && ok2 && len(a) > 20 && len(a) < maxJoinedBytes && !strings.HasSuffix(a, "..") {
			return a + b, true
		}
	}
	return "", false
}

// unobject takes the lines of a server's log out of JSON objects, an object a line, or laid out over lines.
func unobject(text string) string {
	if !strings.Contains(text, "ms  plan:") || !strings.Contains(text, `{`) || !strings.Contains(text, `"`) {
		return text
	}
	const head = 256 << 10
	name, open := wrapped.Find([]byte(text[:min(len(text), head)]), labeled.Match)
	if open == nil || !slicesContain(objectForms, name) {
		return text
	}
	var out bytes.Buffer
	if _, err := io.Copy(&out, io.LimitReader(open(strings.NewReader(text)), 2*MaxText)); err != nil || out.Len() == 0 {
		return text
	}
	return out.String()
}

// objectForms are the names of what brings the lines of a log as JSON.
var objectForms = []string{"CloudNativePG", "Azure", "Google Cloud", "docker json-file", "JSON", "RDS"}

func slicesContain(list []string, names string) bool {
	for _, n := range list {
		if strings.Contains(names, n) {
			return true
		}
	}
	return false
}
