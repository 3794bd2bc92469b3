package slow

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
)

func parsed(t *testing.T, text string) *queryplan.Plan {
	t.Helper()
	list, err := queryplan.Parse([]byte(text))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d plans, %v", len(list), err)
	}
	return list[0]
}

// TestInconsistent holds that figures that one execution cannot have are told, and that
// nobody is told where the time of such a paste went.
func TestInconsistent(t *testing.T) {
	d := Read("x", parsed(t, `Hash Join  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)
  ->  Seq Scan on a  (cost=0.00..50.0 rows=1000 width=4) (actual time=0.1..50.9 rows=1000 loops=1)
  ->  Hash  (cost=1.0..1.0 rows=10 width=4) (actual time=0.5..5.0 rows=10 loops=1)
        ->  Index Scan using b_pkey on b  (cost=0.1..1.0 rows=1 width=4) (actual time=1.0..2.0 rows=1 loops=500)
Execution Time: 51.0 ms
`))
	if len(d.Inconsistent) != 1 || !strings.Contains(d.Inconsistent[0], "500 × 2.0 ms") {
		t.Errorf("%q", d.Inconsistent)
	}
	if !strings.Contains(d.Verdict, "contradict each other") || strings.Contains(d.Verdict, "% of it") {
		t.Errorf("%q", d.Verdict)
	}
	d = Read("x", parsed(t, `Sort  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)
  ->  Seq Scan on a  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..90.0 rows=10 loops=1)
Execution Time: 100.0 ms
`))
	if len(d.Inconsistent) != 1 || !strings.Contains(d.Inconsistent[0], "longer than Sort above it") {
		t.Errorf("%q", d.Inconsistent)
	}
}

// TestMemoryIsBounded holds that no work_mem is named that no session should have, and
// that two runs name no more than the fast one took.
func TestMemoryIsBounded(t *testing.T) {
	const spilled = `Sort  (cost=1.0..100.0 rows=10 width=8) (actual time=1000.0..9000.0 rows=1000000 loops=1)
  Sort Key: a
  Sort Method: external merge  Disk: 3046400kB
  ->  Seq Scan on a  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..90.0 rows=1000000 loops=1)
Execution Time: 9100.0 ms
`
	slow := parsed(t, spilled)
	for _, v := range Read("x", slow).Verdicts {
		if strings.Contains(strings.Join(v.Next, " "), "work_mem = '") {
			t.Errorf("%q", v.Next)
		}
	}
	fast := parsed(t, strings.Replace(strings.Replace(spilled, "external merge  Disk: 3046400kB",
		"quicksort  Memory: 3789kB", 1), "9000.0", "100.0", 1)+"Settings: work_mem = '6MB'\n")
	fast.Execution = new(float64)
	*fast.Execution = 110
	d := Compare("slow", slow, "fast", fast)
	i := slices.IndexFunc(d.Verdicts, func(v Verdict) bool { return v.ID == "spill" })
	if i < 0 || !strings.Contains(strings.Join(d.Verdicts[i].Next, " "), "SET work_mem = '4MB'") {
		t.Errorf("%+v", d.Verdicts)
	}
	// The fast run sorts nothing: no memory is named at all.
	other := parsed(t,
		`Index Scan using a_i on a  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..90.0 rows=1000000 loops=1)
Execution Time: 95.0 ms
`)
	for _, v := range Compare("slow", slow, "fast", other).Verdicts {
		if text := strings.Join(v.Next, " "); strings.Contains(text, "work_mem = '") ||
			strings.Contains(text, "ANALYZE a") {
			t.Errorf("%s: %q", v.ID, v.Next)
		}
	}
}

// TestPartsOfPlans holds that a node whose inputs are missing has no time of its own.
func TestPartsOfPlans(t *testing.T) {
	d := Read("x", parsed(t, `  ->  Sort  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)
`))
	if d.Nodes[0].Own != nil || !d.Plan.Fragment || len(d.Verdicts) > 0 {
		t.Errorf("%+v %+v", d.Nodes, d.Verdicts)
	}
}

// TestLossyBrin holds that a small lossy bitmap is not told, and that a large one of which
// all is lossy may be that of a BRIN index.
func TestLossyBrin(t *testing.T) {
	const text = `Bitmap Heap Scan on t  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)
  Heap Blocks: lossy=%
  ->  Bitmap Index Scan on i  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..0.2 rows=10 loops=1)
`
	has := func(n string) *Verdict {
		d := Read("x", parsed(t, strings.Replace(text, "%", n, 1)))
		i := slices.IndexFunc(d.Verdicts, func(v Verdict) bool { return v.ID == "lossy-bitmap" })
		if i < 0 {
			return nil
		}
		return &d.Verdicts[i]
	}
	if has("8") != nil {
		t.Error("8 blocks are told")
	}
	if v := has("80000"); v == nil || v.Certainty != Possible || !strings.Contains(strings.Join(v.Next, " "), "BRIN") {
		t.Errorf("%+v", v)
	}
}
