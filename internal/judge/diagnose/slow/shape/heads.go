// Package shape is what follows from the names and the tree of a plan's nodes: what a node reads, which of its time is
// its own, where two plans differ. It judges nothing.
package shape

import (
	"slices"
	"strings"

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

// BitmapTable is the table of the Bitmap Heap Scan that a node is below.
func BitmapTable(root, n *queryplan.Node) string {
	out := ""
	root.Walk(func(h *queryplan.Node) {
		if out == "" && strings.Contains(h.Head, "Bitmap Heap Scan") {
			h.Walk(func(x *queryplan.Node) {
				if x == n {
					out = Relation(h.Head)
				}
			})
		}
	})
	return out
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
