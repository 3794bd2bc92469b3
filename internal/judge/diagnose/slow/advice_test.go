package slow

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/shape"
)

func both(v *Verdict) string {
	if v == nil {
		return ""
	}
	return strings.Join(append(say.Strings(v.Evidence), say.Strings(v.Next)...), " ")
}

// TestAverageOfNone verifies that none in each of several loops is not told as none in all.
func TestAverageOfNone(t *testing.T) {
	const text = `Gather  (cost=1.0..90.0 rows=1 width=4) (actual time=0.1..900.0 rows=1 loops=1)
  Workers Planned: 2
  Workers Launched: 2
  ->  Parallel Seq Scan on t  (cost=0.0..9.0 rows=1 width=4) (actual time=0.1..890.0 rows=0 loops=3)
        Filter: (a = 1)
        Rows Removed by Filter: 50000
Execution Time: 901.0 ms
`
	if got := both(verdict(t, text, "rows-removed")); !strings.Contains(got, "kept at most 1 row (") {
		t.Error(got)
	}
	one := strings.Replace(text, "loops=3", "loops=1", 1)
	if got := both(verdict(t, one, "rows-removed")); !strings.Contains(got, "kept 0 rows") {
		t.Error(got)
	}
}

// TestSortsThatAnIndexOrders verifies that an index is named for a sort only where one could have the order of its
// key, and that the memory of a parallel sort is that of each process.
func TestSortsThatAnIndexOrders(t *testing.T) {
	const text = `Sort  (cost=1.0..100.0 rows=10 width=8) (actual time=1000.0..9000.0 rows=100000 loops=1)
  Sort Key: KEY
  Sort Method: external merge  Disk: 40960kB
  ->  JOIN  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..90.0 rows=100000 loops=1)
        ->  Seq Scan on a  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..90.0 rows=100000 loops=1)
        ->  Index Scan using b_pkey on b  (cost=0.00..50.0 rows=1 width=4) (actual time=0.0..0.0 rows=1 loops=100000)
Execution Time: 9100.0 ms
`
	for _, c := range []struct {
		join, key string
		want      bool
	}{
		{"Nested Loop", "a.x, a.y DESC", true}, {"Nested Loop", "a.x, b.y", false},
		{"Nested Loop", "(a.x)::date", false}, {"Hash Join", "a.x", false}, {"Hash Right Join", "a.x", false},
	} {
		got := both(verdict(t, strings.NewReplacer("JOIN", c.join, "KEY", c.key).Replace(text), "spill"))
		if strings.Contains(got, "An index in the order") != c.want || !strings.Contains(got, "40.0 MB on disk") &&
			!strings.Contains(got, "40 MB on disk") {
			t.Errorf("%s, %s: %s", c.join, c.key, got)
		}
	}
	const gathered = `Gather Merge  (cost=1.0..100.0 rows=10 width=8) (actual time=1000.0..9000.0 rows=100000 loops=1)
  Workers Planned: 2
  Workers Launched: 2
  ->  Sort  (cost=1.0..100.0 rows=10 width=8) (actual time=1000.0..8900.0 rows=33333 loops=3)
        Sort Key: x
        Sort Method: external merge  Disk: 40960kB
WORKERS        ->  Parallel Seq Scan on a  (cost=0.0..5.0 rows=1 width=4) (actual time=0.1..90.0 rows=33333 loops=3)
Execution Time: 9100.0 ms
`
	const each = "Each of 3 processes may use as much memory"
	got := both(verdict(t, strings.Replace(gathered, "WORKERS", "", 1), "spill"))
	if !strings.Contains(got, "in one of 3 processes") || !strings.Contains(got, each) {
		t.Error(got)
	}
	got = both(verdict(t, strings.Replace(gathered, "WORKERS",
		"        Worker 0:  Sort Method: external merge  Disk: 40960kB\n"+
			"        Worker 1:  Sort Method: external merge  Disk: 20480kB\n", 1), "spill"))
	if !strings.Contains(got, "100 MB in all") || !strings.Contains(got, each) {
		t.Error(got)
	}
}

// TestComparedColumns verifies that two plans on one table are two runs of one query only if they look for the same
// columns.
func TestComparedColumns(t *testing.T) {
	plan := func(cond string) *queryplan.Plan {
		return parsed(t, `Seq Scan on t  (cost=0.0..9.0 rows=9 width=4) (actual time=0.1..900.0 rows=9 loops=1)
  Filter: `+cond+`
Execution Time: 901.0 ms
`)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"(id = 18)", "(id = 7)", true}, {"(id = 18)", "((title)::text = 'id'::text)", false},
		{"((a = 1) AND (b = 2))", "(b = 2)", true}, {"(lower(name) = 'x'::text)", "(name = 'x'::text)", true},
		{"(id = 18)", "(other_id = t2.x)", true}, // of which nothing is known
	} {
		if got := shape.Comparable(plan(c.a), plan(c.b)); got != c.want {
			t.Errorf("%s, %s: %t", c.a, c.b, got)
		}
	}
}

// TestCorrelatedScan verifies that an index is named by the scan's own side of a condition.
func TestCorrelatedScan(t *testing.T) {
	const text = `Seq Scan on t o  (cost=0.0..9.0 rows=9 width=4) (actual time=0.1..900.0 rows=9 loops=1)
  SubPlan 1
    ->  Seq Scan on s  (cost=0.0..9.0 rows=1 width=4) (actual time=0.1..99.0 rows=1 loops=9)
          Filter: ((id)::text = (o."userId")::text)
          Rows Removed by Filter: 90000
Execution Time: 901.0 ms
`
	if got := both(verdict(t, text, "rows-removed")); !strings.Contains(got, "an index of s on (id)::text finds") {
		t.Error(got)
	}
}

// TestShortened verifies that what a person left out of a plan is unknown, and no setting is blamed for it.
func TestShortened(t *testing.T) {
	d := Read("x", parsed(t, `Limit  (cost=1.0..9.0 rows=10) (actual time=901.1..902.2)
  ->  Sort  (Sort Key: a DESC, top-N heapsort)
        ->  Bitmap Heap Scan on t  (rows=500, Heap Blocks: exact=45)
              ->  Bitmap Index Scan on t_a
Execution Time: 903.3 ms
`))
	if len(d.Nodes) != 4 || d.Nodes[0].Rows != nil || *d.Nodes[0].PerLoop != 902.2 || d.Nodes[2].Exact != 45 {
		t.Errorf("%+v", d.Nodes)
	}
	d = Read("x", parsed(t, "Seq Scan on t  (cost=0.0..9.0 rows=9 width=4)\nExecution Time: 9.0 ms\n"))
	if got := strings.Join(say.Strings(d.Missing), " "); strings.Contains(got, "auto_explain") {
		t.Error(got)
	}
}
