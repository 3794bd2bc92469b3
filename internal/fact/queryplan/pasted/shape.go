package pasted

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	nextNode = regex.New(`\s+(->\s*[A-Z][a-z])`)
	nextLine = regex.New(`\s+((?:(?:Index|Recheck|TID|Hash|Merge) Cond|(?:Join )?Filter|` +
		`Rows Removed by [A-Z][A-Za-z ]+|` +
		`(?:Sort|Group|Presorted|Cache) Key|Sort Method|Buffers|I/O Timings|Heap (?:Fetches|Blocks)|` +
		`Workers (?:Planned|Launched)|Buckets|Hits|Index Searches|(?i:Planning Time|Execution Time|Total runtime)): )`)
)

// inlineTitle is the name of the column and its rule between a statement and the first node.
var inlineTitle = regex.New(`(?:^|[\s;])(\s*QUERY PLAN\s+[-─]{3,}\s+)[A-Z][^(]{2,300}\((?:cost=|actual )`)

// unfold makes lines of a plan that stands in one.
func unfold(lines []string) []string {
	var out []string
	for _, l := range lines {
		if m := inlineTitle.FindStringSubmatchIndex(l); m != nil { // a page has eaten the ends of lines
			out = append(out, l[:m[2]], "QUERY PLAN")
			l = l[m[3]:]
		}
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
