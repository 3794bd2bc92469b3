package loadgen

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
)

// TestCompared verifies what is reported about a mix and its original.
func TestCompared(t *testing.T) {
	m := &workload.Mix{Calls: 1000, Covered: 800, Statements: []workload.Mixed{
		{Query: "SELECT 1", Share: 0.5, Weight: 0.5, Rows: 1, Seen: 1, Near: true, Blocks: 3, BlocksSeen: 3,
			NearBlocks: true},
		{Query: "SELECT *\n FROM a_table_with_a_name WHERE id = $1 AND another_column > $2", Share: 0.25, Weight: 0.25,
			Rows: 10, Seen: 11, Near: true, Blocks: 30, BlocksSeen: 300},
		{Query: "SELECT 2", Share: 0.25, Weight: 0.25, Rows: 10, Seen: 0, NearBlocks: true, Blocks: 2, BlocksSeen: 2.5},
	}, Left: []workload.Left{{Calls: 10, Reason: "it is empty"}, {Calls: 100, Reason: "it writes"},
		{Calls: 85, Reason: "it writes"}, {Calls: 5, Reason: "a"}, {Calls: 4, Reason: "b"}, {Calls: 3, Reason: "c"}}}
	want := []string{
		"Synthetic: 3 of 9 statements, 80.0 % of the calls; 2 of them have the rows of a call within 20 % of the " +
			"original, 2 find or read as many blocks a call.",
		"Not like the original within 20 %: SELECT * FROM a_table_with_a_name WHERE id = $1 AND another_…: 25.0 % " +
			"of the calls and 25.0 % here, rows a call 10 and 11, blocks a call 30 and 300.",
		"Not like the original within 20 %: SELECT 2: 25.0 % of the calls and 25.0 % here, rows a call 10 and 0, " +
			"blocks a call 2 and 2.5.",
		"Left out: 2 statements with 18.5 % of the calls: it writes.",
		"Left out: 1 statement with 1.0 % of the calls: it is empty.",
		"Left out: 1 statement with 0.5 % of the calls: a.",
		"Left out: 1 statement with 0.4 % of the calls: b.",
		"Left out for 1 other reason: see pg_stat_statements for what is not among the scripts.",
	}
	if diff := cmp.Diff(want, say.Strings(compared(m))); diff != "" {
		t.Error(diff)
	}
	for range 20 {
		m.Statements = append(m.Statements, m.Statements[2])
	}
	for _, note := range compared(m) {
		if !gapwords.Has(note.English()) {
			t.Errorf("what shows the document does not know again: %s", note.English())
		}
	}
	if got := strings.Join(say.Strings(compared(m)), "\n"); strings.Count(got, "Not like the original") != mostUnlike ||
		!strings.Contains(got, "14 more statements.") {
		t.Error(got)
	}
}
