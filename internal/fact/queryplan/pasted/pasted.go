// Package pasted takes off a plan what only plans come in: the frames and tables of clients, the strings and objects
// of programs, notices of functions. Package unwrap has taken off before what any text is pasted in. What is left are
// the lines that EXPLAIN wrote, or its JSON, XML, or YAML.
package pasted

import (
	"bytes"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
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

var (
	// arrows are what web pages and word processors make of an arrow.
	arrows = regex.New(`(?m)^([ \t|>"]*)(?:[→⟶➜➔➤⇒↳▶►]|[–—]>|&rarr;)`)
	// marked is a line that only a plan has.
	marked = regex.New(`\(cost=|\(actual |->  ?[A-Z]|\b(?:Planning|Execution) [Tt]ime: |` +
		`"Node Type":|\bNode Type: "|<Node-Type>`)
	// summed is a line below the nodes, or a property of one: two words and a colon.
	summed = regex.New(`^\s*(?:(?:Planning|Execution) [Tt]ime|Sort (?:Key|Method)|[A-Z][a-z]+ Cond|Workers [LP]\w+): `)
	// anyHead is a node's name with its figures, wherever it stands in a line.
	anyHead = regex.New(`(?:->\s*)?\b` + strings.TrimPrefix(HeadWords, "^") + `[^\n]*?\((?:cost=|actual )`)
)

// around is what a plan may be pasted in. The borders of psql's tables are read with the
// plan, and a condition has backslashes of its own.
var around = &unwrap.Reader{Sign: marked.Match, Begin: begin, Both: true,
	Own: []unwrap.Layer{unwrap.Box, unwrap.Escapes}}

// begin is where in a line a node begins; negative where none does.
func begin(l string) int {
	if summed.MatchString(l) {
		return 0
	}
	at := anyHead.FindStringIndex(l)
	switch {
	case at == nil:
		return -1
	case strings.TrimSpace(l[:at[0]]) == "":
		return 0
	}
	return at[0]
}

// Plain makes line ends and blanks ordinary, and takes off what is around a plan and before its lines.
func Plain(b []byte) string {
	t := around.Text([]byte(unescapeMarkdown(string(b))))
	text := strings.ReplaceAll(strings.ToValidUTF8(t.String(), "?"), "\x00", "")
	if !bytes.HasSuffix(b, []byte{'\n'}) {
		text = strings.TrimSuffix(text, "\n")
	}
	if strings.Contains(text, "(cost=") || strings.Contains(text, "(actual ") {
		text = arrows.ReplaceAllString(text, "$1->")
	}
	lines := strings.Split(rowsOf(text), "\n")
	unremark(lines)
	lines = column(lines)
	unnotice(lines)
	return literals(dicts(strings.Join(unfold(unframe(lines)), "\n")))
}
