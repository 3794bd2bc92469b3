package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// remarkMark begins a line that is a remark of SQL, of a shell, or of a program.
var remarkMark = regex.New(`^\s*(?:--|#+|//+)(?: |$)`)

// tableInRemarks is a text with the marks of the remarks taken off that hold rows of pg_settings: a script has what it
// printed below its statements. ok says whether it has any.
func tableInRemarks(lines []line) (bare string, ok bool) {
	out := make([]string, len(lines))
	for i := 0; i < len(lines); {
		end := i
		inner := []string{}
		headed, rows := false, 0
		for ; end < len(lines); end++ {
			m := remarkMark.FindString(lines[end].text)
			if m == "" {
				break
			}
			s := lines[end].text[len(m):]
			inner = append(inner, s)
			cells := cellsOf(s, '|')
			if len(cells) < 2 {
				continue
			}
			if h, is := header(cells); is && h.setting >= 0 {
				headed = true
			} else if headed && parameter(strings.ToLower(cells[0])) {
				rows++
			}
		}
		for k, s := range inner {
			if out[i+k] = lines[i+k].text; rows > 1 && strings.ContainsAny(s, "|+") {
				out[i+k] = s
			}
		}
		ok = ok || rows > 1
		if end == i {
			out[i] = lines[i].text
			end++
		}
		i = end
	}
	return strings.Join(out, "\n") + "\n", ok
}
