package queryplan

import (
	"encoding/json"
	"html"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	rule    = regex.New(`^[\s+|─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣-]*[-─━═]{3,}[\s+|─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣-]*$`)
	rowsEnd = regex.New(`^\(\d+ [\p{L}()]+\)$`) // (12 rows), (12 строк)
)

// plain makes line ends and blanks ordinary, and takes off what stands before every line
// of a plan: quotes of mail, comments of SQL, signs of a diff, the streams of containers.
func plain(text string) string {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "?"), "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\x00", "").Replace(text)
	if strings.Contains(text, "-&gt;") || strings.Contains(text, "&lt;Node-Type") {
		text = html.UnescapeString(text)
		text = strings.ReplaceAll(text, "\u00a0", " ")
	}
	if strings.Contains(text, "(cost=") || strings.Contains(text, "(actual ") {
		text = arrows.ReplaceAllString(tags.ReplaceAllString(breaks.ReplaceAllString(text, "\n"), ""), "$1->")
	}
	text = unobject(unlog(text))
	lines := column(undiff(strings.Split(text, "\n")))
	for range 3 { // a quoted quote of a comment
		if !unprefix(lines) {
			break
		}
	}
	unnotice(lines)
	return literals(dicts(strings.Join(unframe(lines), "\n")))
}

var (
	// what web pages put in, and what they make of an arrow
	breaks = regex.New(`(?i)<br ?/?>\n?`)
	tags   = regex.New(`(?i)</?(?:pre|code|p|div|span|td|tr|samp)(?: [^<>\n]*)?>`)
	arrows = regex.New(`(?m)^([ \t|>"]*)(?:[→⟶]|[–—]>|&rarr;)`)
	// marked is a line that only a plan has.
	marked = regex.New(`\(cost=|\(actual |->  ?[A-Z]|\b(?:Planning|Execution) [Tt]ime: |"Node Type":`)
	// prefixes stand before lines; what is taken off is the whole match.
	prefixes = []*regex.Regex{
		regex.New(`^> ?`), regex.New(`^--(?:$| )?`), regex.New(`^\+`),
		regex.New(`^#(?: |$)`), regex.New(`^//(?: |$)`), regex.New(`^\*(?: |$)`),
		regex.New(`^[\w.-]+ +\| ?`), // docker compose
		regex.New("^\\[?\\d{1,2}:\\d\\d(?::\\d\\d)?(?: [AP]M)?\\]? *(?:<[ @+]?[^<>]{1,40}>|[\\w-]{1,30}:|\\*{0,2}[\\w-]{1,30}\\*{0,2} ?[|│]) ?"), // a chat
		regex.New(`^<[ @+]?[\w\[\]{}^|-]{1,40}> ?`),
		regex.New(`^ {0,6}\d{1,5}(?:[:.)|│]|\t| {2})`),                                     // an editor, cat -n
		regex.New(`^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:std(?:out|err) [FP] )?`), // containers
		regex.New(`^[A-Z][a-z]{2} [ \d]\d [\d:]{8} \S+ \S+\[\d+\]: (?:\[\d+-\d+\] )?`),     // syslog
	}
)

// unprefix takes off what stands before nearly all lines of the plan; false where nothing
// does.
func unprefix(lines []string) bool {
	count, plans := make([]int, len(prefixes)), 0
	for _, l := range lines {
		if !marked.MatchString(l) {
			continue
		}
		plans++
		for i, p := range prefixes {
			if p.MatchString(l) {
				count[i]++
			}
		}
	}
	for i, p := range prefixes {
		if plans == 0 || count[i]*10 < plans*8 {
			continue
		}
		for j, l := range lines {
			if m := p.FindString(l); m != "" {
				lines[j] = strings.ReplaceAll(l[len(m):], "#011", "\t")
			}
		}
		return true
	}
	return false
}

// unlog takes entries of auto_explain out of logs whose lines are JSON objects, at whatever
// depth the message stands.
func unlog(text string) string {
	if !strings.Contains(text, `ms  plan:\n`) {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		from := strings.IndexByte(l, '{')
		if from < 0 || !strings.Contains(l, `ms  plan:\n`) {
			continue
		}
		var v any
		if json.NewDecoder(strings.NewReader(l[from:])).Decode(&v) != nil {
			continue
		}
		if m := message(v, 0); m != "" {
			lines[i] = m
		}
	}
	return strings.Join(lines, "\n")
}

// message is the text of a log's object that holds a plan.
func message(v any, depth int) string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "ms  plan:\n") {
			return v
		}
	case map[string]any:
		for _, in := range v {
			if depth < 10 {
				if m := message(in, depth+1); m != "" {
					return m
				}
			}
		}
	}
	return ""
}

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
	quoted := strings.Contains(text, ")\"") && !strings.Contains(text, `"Plan":`)
	out := make([]string, 0, len(in))
	joined := 0
	for _, raw := range in {
		l := strings.TrimRight(raw, " ")
		bare := strings.TrimSpace(l)
		if bare == "" || strings.HasPrefix(bare, "```") {
			out = append(out, "")
			continue
		}
		if bare == "--" || rule.MatchString(l) || rowsEnd.MatchString(bare) || isTitle(bare) {
			continue
		}
		bordered := unborder(l)
		last := bordered == l && len(l) < len(raw)
		l = strings.ReplaceAll(bordered, "\t", "        ")
		if quoted {
			l = unquote(l)
		}
		if strings.HasSuffix(l, "+") {
			joined++
		}
		if last {
			l += " "
		}
		out = append(out, l)
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
	if len(t) < 2 || t[0] != '"' || t[len(t)-1] != '"' {
		return l
	}
	in := t[1 : len(t)-1]
	return strings.ReplaceAll(in, `""`, `"`)
}

// unquoteNames takes the quotes off identifiers, as JSON writes them bare.
func unquoteNames(head string) string {
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
