package pasted

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// record begins a row of psql's \x, and of clients that have MySQL's \G.
	record = regex.New(`^\s*(?:[-─+┌╔]+\[ .*\d+ \][-─┬+┐═╗]*|\*{3,} *\d+\. row *\*{3,})\s*$`)
	// recordRow is a line of it: the name of the column, or blanks where a value goes on.
	recordRow = regex.New(`^\s?[|│]? ?(?:QUERY PLAN| {10}) ?(?:[|│:]|\+[|│])(?: |$)`)
)

// unframe takes off what a client put around the lines: the rows of an expanded display, and the marks by which
// \pset format wrapped goes on in the next line.
func unframe(lines []string) []string {
	rows := false
	for _, l := range lines {
		rows = rows || record.MatchString(l)
	}
	out := make([]string, 0, len(lines))
	joined := 0
	for _, l := range lines {
		if rows {
			if record.MatchString(l) {
				continue
			}
			if m := recordRow.FindString(l); m != "" {
				l = l[len(m):]
			}
		}
		if n := len(out); n > 0 && joined < mostJoined {
			if whole, ok := goesOnWrapped(out[n-1], l); ok {
				out[n-1] = whole
				joined++
				continue
			}
		}
		joined = 0
		out = append(out, l)
	}
	return out
}

// ruled is the line below the names of several columns.
var ruled = regex.New(`^\s?(?:[+├╞][-─]+)?[-─]+(?:[+┼][-─]+)+[+┤]?$`)

// column takes the column that holds a plan out of a table of several, as of psql on the table of an extension. Its
// lines go on with a plus where a value has several.
func column(lines []string) []string {
	out := lines
	next := 0 // no line is looked at for two rules
	for i, l := range lines {
		if i < next || !strings.ContainsAny(l, "+┼") || !ruled.MatchString(l) {
			continue
		}
		var bounds []int // of columns, in characters
		from := 0
		rule := []rune(l)
		for at, c := range rule {
			if strings.ContainsRune("+┼├┤", c) && at > 0 && at < len(rule)-1 {
				bounds = append(bounds, from, at)
				from = at + 1
			}
		}
		bounds = append(bounds, from, 1<<30)
		if len(bounds) < 4 {
			continue
		}
		end, at := i+1, -1
		for ; end < len(lines) && strings.TrimSpace(lines[end]) != "" && !RowsEnd.MatchString(lines[end]); end++ {
			cells := []rune(lines[end])
			for c := 0; c < len(bounds) && at < 0; c += 2 {
				if bounds[c] < len(cells) && marked.MatchString(string(cells[bounds[c]:min(bounds[c+1], len(cells))])) {
					at = c
				}
			}
		}
		if next = end; at < 0 {
			continue
		}
		out = append([]string{}, lines[:max(i-1, 0)]...)
		for _, l := range lines[i+1 : end] {
			cells := []rune(l)
			text := ""
			if bounds[at] < len(cells) {
				text = string(cells[bounds[at]:min(bounds[at+1], len(cells))])
			}
			out = append(out, strings.TrimRight(strings.TrimSuffix(strings.TrimRight(text, " |│"), "+"), " "))
		}
		return append(out, lines[end:]...)
	}
	return out
}

// notice is what stands before a line that a function raised.
var notice = regex.New(`^(?:psql:[^:\n]{1,200}:\d{1,7}: )?([\p{Lu}\p{Lo}][\p{Lu}\p{Lo} ]{1,20}):  `)

// unnotice takes off what stands before lines that a function raised one by one; what was raised otherwise goes.
func unnotice(lines []string) {
	label, n, all := "", 0, 0
	for _, l := range lines {
		if !marked.MatchString(l) {
			continue
		}
		all++
		if m := notice.FindStringSubmatch(l); m != nil && (label == "" || label == m[1]) &&
			!Logged.MatchString(l) {
			label = m[1]
			n++
		}
	}
	if n < 2 || n*10 < all*8 {
		return
	}
	for i, l := range lines {
		if m := notice.FindStringSubmatch(l); m != nil {
			lines[i] = l[len(m[0]):]
			if m[1] != label {
				lines[i] = ""
			}
		}
	}
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
		if ok && ok2 && len(a) > 20 && len(a) < maxJoined && !strings.HasSuffix(a, "..") {
			return a + b, true
		}
	}
	return "", false
}
