package pasted

import (
	"strings"
	"testing"
)

// TestByHand holds what becomes of lines that a person shortened or remarked on.
func TestByHand(t *testing.T) {
	for in, want := range map[string]string{
		"Seq Scan on a  (cost=0.00..9.00 rows=1,200 width=4)\n" +
			"  Rows Removed by Filter: 1,099,011     <-- all of them": "" +
			"Seq Scan on a  (cost=0.00..9.00 rows=1200 width=4)\n  Rows Removed by Filter: 1099011",
		"Limit ... (actual ... rows=50 loops=1)\n" +
			"  -> Index Scan using i on a (...) (actual time=0.1..0.2 rows=50 loops=1)": "" +
			"Limit (actual rows=50 loops=1)\n  -> Index Scan using i on a (actual time=0.1..0.2 rows=50 loops=1)",
		"->  Sort  Sort Method: external merge  Disk: 5592kB\n" +
			"      ->  Seq Scan on a t   Buffers: shared hit=1 read=2": "" +
			"->  Sort\n      Sort Method: external merge  Disk: 5592kB\n" +
			"      ->  Seq Scan on a t\n            Buffers: shared hit=1 read=2",
		"  ->  Materialize -> Sort  Sort Method: quicksort  Memory: 25kB": "" +
			"  ->  Materialize\n        -> Sort\n              Sort Method: quicksort  Memory: 25kB",
		"Gather (actual time=1.0..2.0 rows=5 loops=1)   Workers Planned: 4  Workers Launched: 4": "" +
			"Gather (actual time=1.0..2.0 rows=5 loops=1)\n  Workers Planned: 4\n  Workers Launched: 4",
		"Sort  ❌ spilled\n  Full-sort Groups: 2  Sort Method: quicksort  Average Memory: 26kB": "" +
			"Sort\n  Full-sort Groups: 2  Sort Method: quicksort  Average Memory: 26kB",
		"WorkTable Scan on w (rows=18.67 loops=3)": "WorkTable Scan on w (actual rows=18.67 loops=3)",
		// conditions stay what they are
		"Index Scan using g on p  (cost=0.1..2.0 rows=1 width=4)\n  Order By: (geom <-> '0101'::geometry)\n" +
			"  Filter: (note = '1,234  Buffers: x'::text)": "" +
			"Index Scan using g on p  (cost=0.1..2.0 rows=1 width=4)\n  Order By: (geom <-> '0101'::geometry)\n" +
			"  Filter: (note = '1,234  Buffers: x'::text)",
	} {
		if got := strings.Join(ByHand(strings.Split(in, "\n")), "\n"); got != want {
			t.Errorf("%s\nbecame\n%s\nwant\n%s", in, got, want)
		}
	}
}
