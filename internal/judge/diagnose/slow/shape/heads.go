// Package shape is what follows from the names and the tree of a plan's nodes: what a node reads, which of its time is
// its own, where two plans differ. It judges nothing.
package shape

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// Scans reports whether a node reads a relation.
func Scans(head string) bool { return strings.Contains(head, "Scan") }

// noTable are scans of something else than a table.
var noTable = []string{"Bitmap Index Scan", "Function Scan", "CTE Scan", "WorkTable Scan", "Subquery Scan",
	"Values Scan", "Named Tuplestore Scan"}

// Relation is the table that a scan reads, without its schema; "" if a node reads none.
func Relation(head string) string {
	kind, rest, ok := strings.Cut(head, " on ")
	if !ok || !Scans(kind) || slices.ContainsFunc(noTable, func(k string) bool { return strings.Contains(kind, k) }) {
		return ""
	}
	table, _, _ := strings.Cut(rest, " ")
	return table[strings.LastIndexByte(table, '.')+1:]
}

// Index is the index that a node reads; "" if it reads none.
func Index(head string) string {
	kind, rest, ok := strings.Cut(head, " using ")
	if !ok {
		if kind, rest, ok = strings.Cut(head, " on "); !ok || !strings.HasSuffix(kind, "Bitmap Index Scan") {
			return ""
		}
	}
	if !strings.Contains(kind, "Index") {
		return ""
	}
	name, _, _ := strings.Cut(rest, " ")
	return name
}

// Target is the table that a scan reads, with its alias: what tells it from another scan of the same table. For a
// Bitmap Index Scan it is that of the Bitmap Heap Scan above it.
func Target(root, n *queryplan.Node) string {
	if strings.Contains(n.Head, "Bitmap Index Scan") {
		if h := bitmapHeap(root, n); h != nil {
			return Target(root, h)
		}
		return ""
	}
	_, rest, _ := strings.Cut(n.Head, " on ")
	return rest
}

// bitmapHeap is the Bitmap Heap Scan that a node is below; nil if there is none.
func bitmapHeap(root, n *queryplan.Node) *queryplan.Node {
	var out *queryplan.Node
	root.Walk(func(h *queryplan.Node) {
		if out == nil && strings.Contains(h.Head, "Bitmap Heap Scan") {
			h.Walk(func(x *queryplan.Node) {
				if x == n {
					out = h
				}
			})
		}
	})
	return out
}

// madeRows are nodes whose rows are of no table as it is: no index has them in an order.
var madeRows = []string{"Aggregate", "Group", "WindowAgg", "SetOp", "HashSetOp", "Unique", "Recursive Union",
	"Function Scan", "CTE Scan", "WorkTable Scan", "Values Scan", "Named Tuplestore", "Foreign Scan", "Remote "}

// Orderable reports whether an index could return the rows that a node sorts in its order: they are of tables, no
// aggregate, window, or other server made them, and if they are joined, it is by loops, which keep the order of the
// outer rows, and the keys are columns of one table.
func Orderable(n *queryplan.Node) bool {
	if len(n.Children) == 0 || madeBelow(n) { // of a plan without its tree, it is not known what is below
		return false
	}
	key := ""
	for _, w := range n.Words {
		if w.Name == "Sort Key" {
			key = w.Text
		}
	}
	loops, others := joinsBelow(n)
	return !others && (!loops || oneTable(key))
}

func madeBelow(n *queryplan.Node) bool {
	for _, c := range n.Children {
		made := slices.ContainsFunc(madeRows, func(k string) bool { return strings.Contains(c.Head, k) })
		if c.Subplan == "" && (made || madeBelow(c)) {
			return true
		}
	}
	return false
}

// joinsBelow reports whether nested loops, and other joins, are below a node.
func joinsBelow(n *queryplan.Node) (loops, others bool) {
	n.Walk(func(c *queryplan.Node) {
		nested := strings.HasPrefix(c.Head, "Nested Loop")
		loops, others = loops || nested, others || !nested && strings.HasSuffix(c.Head, "Join")
	})
	return loops, others
}

// sortColumn is a key that is a column of a table, with its order.
var sortColumn = regex.New(`^("[^"]+"|[a-z_]\w*)\.(?:"[^"]+"|[a-z_]\w*)(?: COLLATE \S+)?(?: DESC| ASC)?` +
	`(?: NULLS (?:FIRST|LAST))?$`)

// oneTable reports whether all keys of a sort are columns of one table.
func oneTable(key string) bool {
	table := ""
	for _, k := range strings.Split(key, ", ") {
		m := sortColumn.FindStringSubmatch(k)
		if m == nil || table != "" && m[1] != table {
			return false
		}
		table = m[1]
	}
	return table != ""
}

// BitmapTable is the table of the Bitmap Heap Scan that a node is below.
func BitmapTable(root, n *queryplan.Node) string {
	if h := bitmapHeap(root, n); h != nil {
		return Relation(h.Head)
	}
	return ""
}

// Modifies reports whether a node changes or locks rows.
func Modifies(head string) bool {
	for _, w := range []string{"Insert", "Update", "Delete", "Merge on", "LockRows"} {
		if strings.HasPrefix(head, w) {
			return true
		}
	}
	return false
}

// ReadsAll reports whether a node reads its whole input before its first row, whatever ends it after that.
func ReadsAll(head string) bool {
	return head == "Sort" || head == "Hash" || head == "Parallel Hash" || head == "HashAggregate" ||
		head == "Aggregate" || head == "Partial HashAggregate" || head == "Partial Aggregate" ||
		head == "Finalize Aggregate"
}

// StopsBelow reports whether a node may end what is below it before its last row.
func StopsBelow(head string) bool {
	return strings.HasPrefix(head, "Limit") || strings.Contains(head, "Semi Join") ||
		strings.Contains(head, "Anti Join") || strings.HasPrefix(head, "Merge ") && strings.HasSuffix(head, "Join")
}

// Uncounted reports whether a node has no figures of rows that may be compared: bitmaps that are combined count none,
// and Citus has a constant for an estimate.
func Uncounted(head string) bool {
	return strings.HasPrefix(head, "BitmapAnd") || strings.HasPrefix(head, "BitmapOr") ||
		strings.HasPrefix(head, "Custom Scan (Citus")
}

// Gathers says whether a node gathers the rows of workers, for whose end it waits after its last row.
func Gathers(head string) bool { return strings.HasPrefix(head, "Gather") }
