package pasted

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// escapedMark is what an editor of Markdown puts before a bracket that is none of its own.
	escapedMark = regex.New(`\\\((?:cost=|actual )`)
	escaped     = regex.New(`\\([\\()\[\]{}_*<>~|.#+!-])`)
)

// unescapeMarkdown takes off the backslashes by which an editor of Markdown kept brackets and underscores.
func unescapeMarkdown(text string) string {
	if !strings.Contains(text, `\(`) || !escapedMark.MatchString(text) {
		return text
	}
	return escaped.ReplaceAllString(text, "$1")
}

// properties are names that begin a part of a line of their own where two or more blanks are before them.
const properties = `(?:(?:Index|Recheck|Hash|Merge|TID) Cond|(?:Join )?Filter|(?:Sort|Group|Presorted|Cache) Key|` +
	`Sort Method|Buffers|I/O Timings|Rows Removed by [A-Z][A-Za-z ]{3,20}|Workers (?:Planned|Launched)|` +
	`Heap (?:Fetches|Blocks)|Index Searches|Buckets|Batches)`

var (
	// behind is a remark behind a line, after an arrow or a sign of a person's
	behind = regex.New(`\s+(?:<-{1,2}|←|⟵|⇐|<=)\s+\S.*$|\s*(?:❌|✅|⚠|🔴|🟢|🟡|🔥|👈|👉|★|⭐|✔|✗|✘|💥|⬅|❗).*$`)
	// elidedFigures stand for the figures that a person left out
	elidedFigures = regex.New(`\s*(?:\((?:cost=)?(?:\.{2,}|…)\)|(?:\.{3}|…))(\s*(?:$|\((?:cost=|actual |never )))`)
	elidedTime    = regex.New(`\(actual (?:time=)?(?:\.{2,}|…)\s+rows=`)
	// bareRows are figures of a run without their word
	bareRows = regex.New(`\((rows=\d[\d.]* +loops=)`)
	// more is a further property in a line
	more = regex.New(`\s{2,}(` + properties + `): `)
	// nodeBegin is a line of a node: its arrow, its indentation
	nodeBegin = regex.New(`^(\s*)(->\s*)?(` + strings.TrimPrefix(HeadWords, "^") + `)`)
	// second is another node on a line
	second = regex.New(`\s+->\s+` + strings.TrimPrefix(HeadWords, "^"))
	// separated is a number with separators of thousands
	separated = regex.New(`(\d),(\d{3})\b`)
	// counted is a line whose commas between digits are such
	counted = regex.New(`^\s*(?:Rows Removed by |Buffers: |Heap (?:Fetches|Blocks): |Sort Method: |I/O Timings: |` +
		`Buckets: |Batches: |Index Searches: )`)
)

// ByHand makes ordinary lines of what a person made of them: remarks behind them, figures left out, separators of
// thousands, several properties or nodes on a line. Columns stay what they are.
func ByHand(lines []string) []string {
	lines = drawn(lines)
	if !slices.ContainsFunc(lines, func(l string) bool { return nodeBegin.MatchString(l) }) {
		return lines
	}
	out := make([]string, 0, len(lines))
	executed := ran(lines)
	lines = withArrows(lines)
	for _, l := range lines {
		l = alone(named(l))
		if m := starred.FindStringSubmatch(l); m != nil && nodeBegin.MatchString(m[1]) {
			l = m[1]
		}
		node := nodeBegin.FindStringSubmatchIndex(l)
		if node == nil && !counted.MatchString(l) && !more.MatchString(l) && !strings.Contains(l, ": ") {
			out = append(out, l)
			continue
		}
		end := ""
		if strings.HasSuffix(l, " ") {
			end = " "
		}
		if at := behind.FindStringIndex(l); at != nil && balanced(l[:at[0]]) {
			l = l[:at[0]]
		}
		if node != nil {
			l = estimateBeside.ReplaceAllString(l, "(cost= rows=$1) (actual $2")
			l = elidedFigures.ReplaceAllString(l, "$1")
			l = elidedTime.ReplaceAllString(l, "(actual rows=")
			l = bareRows.ReplaceAllString(l, "(actual $1")
			l = shorthand(l, executed)
			if at := slices.MinFunc([]int{mark(l), len(l)}, func(a, b int) int { return a - b }); at < len(l) {
				l = l[:at] + ungrouped(l[at:])
			}
		}
		if counted.MatchString(l) {
			l = ungrouped(l)
		}
		out = append(out, parts(l, node)...)
		out[len(out)-1] += strings.TrimPrefix(end, " ")
	}
	return out
}

// mark is where the figures of a node begin; the length of the line where it has none.
func mark(l string) int {
	at := len(l)
	for _, m := range Marks {
		if i := strings.Index(l, m); i >= 0 {
			at = min(at, i)
		}
	}
	return at
}

// ungrouped takes the separators of thousands out.
func ungrouped(l string) string {
	for separated.MatchString(l) {
		l = separated.ReplaceAllString(l, "$1$2")
	}
	return l
}

// balanced says whether no bracket and no quote is open at the end of a text.
func balanced(l string) bool {
	return strings.Count(l, "(") == strings.Count(l, ")") && strings.Count(l, "'")%2 == 0
}

// ownSort are lines in which how a node sorted is a part.
var ownSort = regex.New(`^\s*(?:Full-sort Groups|Pre-sorted Groups|Worker \d+|Planned Partitions|Buckets|Hits): `)

// parts are the lines that a line holds. What stands behind a node is deeper than it.
func parts(l string, node []int) []string {
	var out []string
	indent := len(l) - len(strings.TrimLeft(l, " \t"))
	if node != nil {
		indent += 2
		if node[4] >= 0 { // its arrow
			indent += node[5] - node[4]
		}
		for from := node[3]; from < len(l); { // behind the node's own arrow
			at := second.FindStringIndex(l[from:])
			if at == nil || strings.ContainsAny(l[:from+at[0]], "(:") {
				break
			}
			out = append(out, l[:from+at[0]])
			l = strings.Repeat(" ", indent) + strings.TrimLeft(l[from+at[0]:], " \t")
			from, indent = indent+len("->"), indent+6
		}
	}
	if ownSort.MatchString(l) {
		return append(out, l)
	}
	for from := len(l) - len(strings.TrimLeft(l, " \t")); ; {
		m := more.FindStringSubmatchIndex(l[from:])
		if m == nil {
			break
		}
		at := from + m[0]
		if !balanced(l[:at]) {
			from += m[1]
			continue
		}
		out = append(out, l[:at])
		l = strings.Repeat(" ", indent) + l[from+m[2]:]
		from = indent
	}
	return append(out, l)
}
