package pasted

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Text makes a text of bytes: UTF-16, as the shell of Windows writes it, is decoded.
func Text(b []byte) string {
	var order binary.ByteOrder
	switch {
	case len(b) < 2:
	case b[0] == 0xff && b[1] == 0xfe:
		order = binary.LittleEndian
	case b[0] == 0xfe && b[1] == 0xff:
		order = binary.BigEndian
	}
	if order == nil {
		return string(b)
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 2; i+1 < len(b); i += 2 {
		units = append(units, order.Uint16(b[i:]))
	}
	return string(utf16.Decode(units))
}

var (
	// invisible are colors of a terminal, and characters without width that web pages put in.
	invisible = regex.New(`\x1b\[[0-9;?]*[A-Za-z]|[\x{200b}-\x{200f}\x{2060}\x{feff}]`)
	// anyHead is a node's name with its figures, wherever it stands in a line.
	anyHead = regex.New(`(?:->\s*)?\b` + strings.TrimPrefix(HeadWords, "^") + `[^\n]*?\((?:cost=|actual )`)
)

// unshape takes off what a program that logs put before each line: the same words, with other numbers.
func unshape(lines []string) {
	shape := ""
	count, all := 0, 0
	for _, l := range lines {
		if !marked.MatchString(l) {
			continue
		}
		all++
		if all == 1 {
			m := anyHead.FindStringIndex(l)
			const most = 300
			if m == nil || m[0] == 0 || m[0] > most || strings.TrimSpace(l[:m[0]]) == "" ||
				strings.ContainsAny(l[:m[0]], `"'`) || Logged.MatchString(l[:m[0]]) {
				return
			}
			shape = l[:m[0]]
		}
		if _, ok := cutShape(l, shape); ok {
			count++
		}
	}
	if count < 2 || count*10 < all*8 {
		return
	}
	for i, l := range lines {
		if rest, ok := cutShape(l, shape); ok {
			lines[i] = rest
		}
	}
}

// cutShape cuts a beginning off a line that has the same characters, but for its numbers.
func cutShape(l, shape string) (string, bool) {
	digit := func(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }
	i, j := 0, 0
	for j < len(shape) {
		switch {
		case digit(shape, j) && digit(l, i):
			for digit(shape, j) {
				j++
			}
			for digit(l, i) {
				i++
			}
		case i < len(l) && l[i] == shape[j]:
			i, j = i+1, j+1
		default:
			return "", false
		}
	}
	return l[i:], true
}

var (
	nextNode = regex.New(`\s+(->\s*[A-Z][a-z])`)
	nextLine = regex.New(`\s+((?:(?:Index|Recheck|TID|Hash|Merge) Cond|(?:Join )?Filter|` +
		`Rows Removed by [A-Z][A-Za-z ]+|` +
		`(?:Sort|Group|Presorted|Cache) Key|Sort Method|Buffers|I/O Timings|Heap (?:Fetches|Blocks)|` +
		`Workers (?:Planned|Launched)|Buckets|Hits|Index Searches|(?i:Planning Time|Execution Time|Total runtime)): )`)
)

// unfold makes lines of a plan that stands in one.
func unfold(lines []string) []string {
	var out []string
	for _, l := range lines {
		if n := strings.Count(l, "(cost=") + strings.Count(l, "(actual "); n > 2 && nextNode.MatchString(l) {
			l = nextLine.ReplaceAllString(nextNode.ReplaceAllString(l, "\n$1"), "\n$1")
			out = append(out, strings.Split(l, "\n")...)
			continue
		}
		out = append(out, l)
	}
	return out
}

var (
	printed    = regex.New(`^\s*\[QUERY PLAN\] => ?`)
	printedRow = regex.New(`^\s*(?:Array|\(|\)|\[\d+\] => Array)\s*$`)
)

// rowsOf takes the lines out of rows without quotes: of PHP's print_r, and of a list of maps of Java.
func rowsOf(text string) string {
	const begin = "{QUERY PLAN="
	if strings.Contains(text, begin) {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "}, "+begin, "\n"), begin, "\n")
		return strings.Replace(strings.Replace(text, "[\n", "\n", 1), "}]", "", 1)
	}
	if !strings.Contains(text, "[QUERY PLAN] =>") {
		return text
	}
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		if m := printed.FindString(l); m != "" {
			out = append(out, l[len(m):])
		} else if strings.TrimSpace(l) != "" && !printedRow.MatchString(l) {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}
