// Package pasted takes off a plan what it was pasted or sent in: quotes of mail, comments, chats, diffs, line numbers,
// tables of clients, strings and objects of programs, logs in JSON. What is left are the lines that EXPLAIN wrote, or
// its JSON, XML, or YAML.
package pasted

import (
	"encoding/json"
	"html"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// HeadWords are the beginnings of names of nodes.
const HeadWords = `^(?:XN )?(?:Async )?(?:Parallel )?(?:Partial |Finalize )?(?:` +
	`Seq Scan|Sample Scan|Index (?:Only )?Scan|Bitmap (?:Heap|Index) Scan|Tid (?:Range )?Scan|Subquery ` +
	`Scan|Function Scan|Table Function Scan|Values Scan|CTE Scan|` +
	`Named Tuplestore Scan|WorkTable Scan|Foreign (?:Scan|Insert|Update|Delete)|Custom Scan|Nested ` +
	`Loop|Merge|Hash|Append|Recursive Union|BitmapAnd|BitmapOr|` +
	`Gather|Materialize|Memoize|Sort|Incremental ` +
	`Sort|Group|Aggregate|GroupAggregate|HashAggregate|MixedAggregate|WindowAgg|Unique|SetOp|HashSetOp|LockRows|` +
	`Limit|` +
	`Insert|Update|Delete|Result|ProjectSet)\b`

// maxText bounds what comes of a text.
const maxText = 32 << 20

// maxJoined and mostJoined bound a line that is joined, in bytes and in parts.
const (
	maxJoined  = 256 << 10
	mostJoined = 500
)

// Marks are the beginnings of the figures of a node.
var Marks = []string{"(cost=", "(actual ", "(never executed)"}

var (
	// Logged is an entry of auto_explain.
	Logged = regex.New(`duration: ([\d.]+) ms +plan:`)
	// RowsEnd is psql's end of a table: (12 rows), (12 строк).
	RowsEnd = regex.New(`^\(\d+ [\p{L}()]+\)$`)
	// Labeled is the label of an entry of a log, in whatever language.
	Labeled = regex.New(`\p{Lu}{2,}:  `)
)

// Plain makes line ends and blanks ordinary, and takes off what stands before every line
// of a plan: quotes of mail, comments of SQL, signs of a diff, the streams of containers.
func Plain(text string) string {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "?"), "\ufeff")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\x00", "").Replace(text)
	text = invisible.ReplaceAllString(text, "")
	if strings.Contains(text, "-&gt;") || strings.Contains(text, "&lt;Node-Type") {
		text = html.UnescapeString(text)
		text = strings.ReplaceAll(text, "\u00a0", " ")
	}
	if strings.Contains(text, "(cost=") || strings.Contains(text, "(actual ") {
		text = arrows.ReplaceAllString(tags.ReplaceAllString(breaks.ReplaceAllString(text, "\n"), ""), "$1->")
	}
	text = unobject(unlog(text))
	lines := column(undiff(strings.Split(rowsOf(text), "\n")))
	for range 3 { // a quoted quote of a comment
		if !unprefix(lines) {
			break
		}
	}
	unnotice(lines)
	unshape(lines)
	return literals(dicts(strings.Join(unfold(unframe(lines)), "\n")))
}

var (
	// what web pages put in, and what they make of an arrow
	breaks = regex.New(`(?i)<br ?/?>\n?`)
	tags   = regex.New(`(?i)</?(?:pre|code|p|div|span|td|tr|samp)(?: [^<>\n]*)?>`)
	arrows = regex.New(`(?m)^([ \t|>"]*)(?:[→⟶➜➔➤⇒↳▶►]|[–—]>|&rarr;)`)
	// marked is a line that only a plan has.
	marked = regex.New(`\(cost=|\(actual |->  ?[A-Z]|\b(?:Planning|Execution) [Tt]ime: |"Node Type":`)
	// prefixes stand before lines; what is taken off is the whole match.
	prefixes = []*regex.Regex{
		regex.New(`^> ?`), regex.New(`^--(?:$| )?`), regex.New(`^\+`),
		regex.New(`^#(?: |$)`), regex.New(`^//(?: |$)`), regex.New(`^\*(?: |$)`),
		regex.New(`^[\w.-]+ +\| ?`), // docker compose
		regex.New(`^\[?\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)?\]? *` + // a chat
			`(?:<[ @+]?[^<>]{1,40}>|[\w-]{1,30}:|\*{0,2}[\w-]{1,30}\*{0,2} ?[|│]) ?`),
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
