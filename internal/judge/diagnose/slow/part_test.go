package slow

import (
	"strings"
	"testing"
)

// TestPartOfAPlan: the blocks that stand alone above the first node are of another node, and an Append without anything
// below it did not work itself.
func TestPartOfAPlan(t *testing.T) {
	d := Read("x", parsed(t, `                                 Buffers: shared hit=2
         ->  Hash Join  (cost=1.0..9.0 rows=1 width=8) (actual time=0.1..70.0 rows=9 loops=10)
               Buffers: shared hit=700 read=40
               ->  Seq Scan on a  (cost=0.0..3.0 rows=1 width=4) (actual time=0.1..30.0 rows=9 loops=10)
                     Buffers: shared hit=700
         ->  Nested Loop  (cost=1.0..9.0 rows=1 width=8) (actual time=0.1..7.0 rows=9 loops=10)
               Buffers: shared hit=300
`))
	if d.Plan.Hit == nil || *d.Plan.Hit != 1000 || *d.Plan.Read != 40 {
		t.Errorf("blocks: %+v", d.Plan)
	}
	const reads = `   ->  Append  (cost=0.02..900.0 rows=9) (actual time=80.1..8000.2 rows=0 loops=1)
         Buffers: shared hit=100 read=9000
         I/O Timings: shared read=7000.5
`
	text := toldOf(Read("x", parsed(t, reads)))
	if strings.Contains(text, "is in Append") || !strings.Contains(text, "reads of 9000 blocks") {
		t.Error(text)
	}
}

// TestSeveralParts: each part that ran many times is reported.
func TestSeveralParts(t *testing.T) {
	got := both(verdict(t, `Nested Loop  (cost=1.0..9.0 rows=1 width=8) (actual time=0.1..900.0 rows=9 loops=1)
  ->  Nested Loop  (cost=1.0..9.0 rows=1 width=8) (actual time=0.1..610.0 rows=9 loops=1)
        ->  Seq Scan on a  (cost=0.0..3.0 rows=5000 width=4) (actual time=0.1..10.0 rows=5000 loops=1)
        ->  Index Scan using b_k on b  (cost=0.0..3.0 rows=1 width=4) (actual time=0.1..0.11 rows=1 loops=5000)
  ->  Index Scan using c_k on c  (cost=0.0..3.0 rows=1 width=4) (actual time=0.01..0.05 rows=1 loops=5000)
Execution Time: 900.2 ms
`, "repeated"))
	if !strings.Contains(got, "b_k on b ran 5000 times") || !strings.Contains(got, "c_k on c ran 5000 times") {
		t.Error(got)
	}
}

// TestComputedRows: what a subquery returns is in no index.
func TestComputedRows(t *testing.T) {
	const text = `HEAD  (cost=1.0..100.0 rows=90000 width=8) (actual time=700.0..900.0 rows=300 loops=1)
  Filter: (q.status IS DISTINCT FROM q.before)
  Rows Removed by Filter: 90000
  ->  WindowAgg  (cost=0.00..50.0 rows=90300 width=4) (actual time=0.1..300.0 rows=90300 loops=1)
Execution Time: 901.0 ms
`
	for _, head := range []string{"Subquery Scan on q", "CTE Scan on q"} {
		got := both(verdict(t, strings.Replace(text, "HEAD", head, 1), "rows-removed"))
		if strings.Contains(got, "The index finds more rows") || !strings.Contains(got, "rows are computed before") {
			t.Errorf("%s: %s", head, got)
		}
	}
}

// TestEstimatesOfNothing: a join that had no row outside says nothing of what it expected for each.
func TestEstimatesOfNothing(t *testing.T) {
	const text = `Nested Loop  (cost=1.0..100.0 rows=1700 width=8) (actual time=6.0..6.1 rows=0 loops=1)
  ->  Index Scan using a_k on a  (cost=0.0..5.0 rows=1 width=4) (actual time=6.0..6.0 rows=0 loops=1)
  ->  Seq Scan on b  (cost=0.0..90.0 rows=1700 width=4) (never executed)
Execution Time: 6.2 ms
`
	if v := verdict(t, text, "misestimate"); v != nil {
		t.Errorf("%+v", v)
	}
	if v := verdict(t, strings.Replace(text, "rows=1 width", "rows=1500 width", 1), "misestimate"); v == nil {
		t.Error("nothing of an outer side that was estimated with 1500 rows")
	}
	// In parallel parts, the factor is that of the rows that are shown.
	got := both(verdict(t, `Gather  (cost=1.0..100.0 rows=1 width=8) (actual time=6.0..96.1 rows=60000 loops=1)
  Workers Planned: 2
  Workers Launched: 2
  ->  Parallel Seq Scan on b  (cost=0.0..90.0 rows=1 width=4) (actual time=0.1..90.0 rows=20000 loops=3)
Execution Time: 96.2 ms
`, "misestimate"))
	if !strings.Contains(got, "estimate 1 row, actual 20,000 rows, 20,000 times as many") {
		t.Error(got)
	}
}

// TestIndexAndItsTime: an index in the place of a scan saves no more than the scan took, if nothing else changed.
func TestIndexAndItsTime(t *testing.T) {
	slow := parsed(t, `Hash Join  (cost=1.0..100.0 rows=9 width=8) (actual time=10.0..5000.0 rows=9 loops=1)
  Hash Cond: (b.id = a.id)
  ->  Seq Scan on b  (cost=0.0..90.0 rows=900 width=4) (actual time=0.1..3900.0 rows=900 loops=1)
  ->  Hash  (cost=0.0..5.0 rows=9 width=4) (actual time=400.1..400.2 rows=9 loops=1)
        ->  Seq Scan on a  (cost=0.0..5.0 rows=9 width=4) (actual time=0.1..400.0 rows=9 loops=1)
              Filter: (k = 7)
              Rows Removed by Filter: 90000
Execution Time: 5000.5 ms
`)
	fast := parsed(t, `Hash Join  (cost=1.0..100.0 rows=9 width=8) (actual time=10.0..2000.0 rows=9 loops=1)
  Hash Cond: (b.id = a.id)
  ->  Seq Scan on b  (cost=0.0..90.0 rows=900 width=4) (actual time=0.1..1900.0 rows=900 loops=1)
  ->  Hash  (cost=0.0..5.0 rows=9 width=4) (actual time=0.2..0.3 rows=9 loops=1)
        ->  Index Scan using a_k on a  (cost=0.0..5.0 rows=9 width=4) (actual time=0.1..0.2 rows=9 loops=1)
              Index Cond: (k = 7)
Execution Time: 2000.5 ms
`)
	for _, v := range Compare("slow", slow, "fast", fast).Verdicts {
		if v.ID == "other-index" && (v.Explains == nil || *v.Explains > 400 || *v.Explains < 390) {
			t.Errorf("%v of %+v", *v.Explains, v)
		}
	}
}
