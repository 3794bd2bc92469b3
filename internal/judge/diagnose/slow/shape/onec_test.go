package shape

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

// TestOneC: a plan on tables of 1C is complete only with what 1C sets for its sessions.
func TestOneC(t *testing.T) {
	const cost = "  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)\n"
	const scans = "Nested Loop" + cost + "  ->  Seq Scan on _reference12 t1" + cost +
		"  ->  Index Scan using _document34_1 on public._document34 t2" + cost
	for text, want := range map[string][2]bool{
		scans: {true, false},
		scans + "Settings: cpu_operator_cost = '0.001', enable_mergejoin = 'off'\n": {true, true},
		"Seq Scan on reference12" + cost:                                            {false, false},
		"Seq Scan on my_document34" + cost:                                          {false, false},
	} {
		list, err := queryplan.Parse([]byte(text))
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d plans, %v", text, len(list), err)
		}
		if tables, as := OneC(list[0]); tables != want[0] || as != want[1] {
			t.Errorf("%s: %v %v", text, tables, as)
		}
	}
}
