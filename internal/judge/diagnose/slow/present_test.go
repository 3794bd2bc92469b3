package slow

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// toldOf is all that a reading says: its headline, its verdicts, what is missing.
func toldOf(d *Reading) string {
	out := []string{d.Verdict.String()}
	for _, v := range d.Verdicts {
		out = append(append(append(out, v.Title.String()), say.Strings(v.Evidence)...), say.Strings(v.Next)...)
	}
	return strings.Join(append(out, say.Strings(d.Missing)...), "\n")
}

// TestPartitionsThatAreCutOff: an Append returns what is below it. If that is not in the paste, or returned fewer
// rows, the time of the Append is not its own.
func TestPartitionsThatAreCutOff(t *testing.T) {
	for name, plan := range map[string]string{
		"nothing below it": `Aggregate  (cost=90.1..90.2 rows=1 width=8) (actual time=900.1..900.2 rows=1 loops=1)
  ->  Append  (cost=0.00..90.0 rows=9 width=0) (actual time=1.0..899.0 rows=160 loops=1)
`,
		"beside another": `Sort  (cost=90.1..90.2 rows=9 width=8) (actual time=1900.1..1900.2 rows=160 loops=1)
  ->  Append  (cost=0.00..90.0 rows=9 width=0) (actual time=1.0..1099.0 rows=160 loops=1)
`,
		"the last are missing": `Append  (cost=0.00..90.0 rows=400 width=0) (actual time=1.0..899.0 rows=400 loops=1)
  ->  Seq Scan on m_1  (cost=0.00..30.0 rows=100 width=0) (actual time=0.1..100.0 rows=100 loops=1)
  ->  Seq Scan on m_2  (cost=0.00..30.0 rows=100 width=0) (actual time=0.1..100.0 rows=90 loops=1)
`,
		"of an extension": `Limit  (cost=0.4..9.0 rows=50 width=8) (actual time=1.0..900.0 rows=50 loops=1)
  ->  Custom Scan (ChunkAppend) on m  (cost=0.4..90.0 rows=500 width=8) (actual time=1.0..899.0 rows=50 loops=1)
        Order: m.at DESC
`,
	} {
		if text := toldOf(Read("x", parsed(t, plan))); strings.Contains(text, "itself took") ||
			strings.Contains(text, "is in ") || !strings.Contains(text, "the plan is cut off") {
			t.Errorf("%s: %s", name, text)
		}
	}
	// All of them are there: the rounded rows of three processes, one that never ran, and no row at all.
	for name, plan := range map[string]string{
		"processes": `Gather  (cost=0.00..90.0 rows=9 width=0) (actual time=1.0..901.0 rows=7 loops=1)
  Workers Planned: 2
  Workers Launched: 2
  ->  Parallel Append  (cost=0.00..90.0 rows=4 width=0) (actual time=1.0..899.0 rows=2 loops=3)
        ->  Parallel Seq Scan on m_1  (cost=0.00..30.0 rows=2 width=0) (actual time=0.1..400.0 rows=1 loops=3)
        ->  Parallel Seq Scan on m_2  (cost=0.00..30.0 rows=2 width=0) (actual time=0.1..400.0 rows=4 loops=1)
`,
		"one never ran": `Append  (cost=0.00..90.0 rows=400 width=0) (actual time=1.0..899.0 rows=100 loops=1)
  ->  Seq Scan on m_1  (cost=0.00..30.0 rows=100 width=0) (actual time=0.1..100.0 rows=100 loops=1)
  ->  Seq Scan on m_2  (cost=0.00..30.0 rows=100 width=0) (never executed)
`,
		"no row": `Append  (cost=0.00..90.0 rows=400 width=0) (actual time=1.0..899.0 rows=0 loops=1)
  Subplans Removed: 12
`,
	} {
		if text := toldOf(Read("x", parsed(t, plan))); strings.Contains(text, "the plan is cut off") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestBelowALineThatIsMissing: what stands below a line that is not in the paste shares the time, and none of it runs
// for the rows of another.
func TestBelowALineThatIsMissing(t *testing.T) {
	d := Read("x", parsed(t, `        Filter: (a = 1)
        ->  Seq Scan on m_1  (cost=0.00..30.0 rows=10 width=0) (actual time=0.1..0.3 rows=2 loops=3000)
        ->  Seq Scan on m_2  (cost=0.00..30.0 rows=10 width=0) (actual time=0.1..0.2 rows=2 loops=3000)
`))
	text := toldOf(d)
	if strings.Contains(text, "for whose rows it runs") || !strings.Contains(text, "60% of this time") {
		t.Error(text)
	}
	// Of a join, the inner side runs for the rows of the outer one, not the outer one for those of the inner.
	d = Read("x", parsed(t, `Nested Loop  (cost=0.00..90.0 rows=10 width=0) (actual time=0.1..900.0 rows=9 loops=1)
  ->  Seq Scan on o  (cost=0.00..30.0 rows=1 width=0) (actual time=0.1..1.0 rows=3000 loops=1)
  ->  Index Scan using i on m  (cost=0.00..30.0 rows=1 width=0) (actual time=0.1..0.25 rows=1 loops=3000)
Execution Time: 901.0 ms
`))
	if text := toldOf(d); !strings.Contains(text, "Seq Scan on o, for whose rows it runs") {
		t.Error(text)
	}
}

// TestNoMultipleOfNothing: no number is a multiple of no rows.
func TestNoMultipleOfNothing(t *testing.T) {
	d := Read("x", parsed(t, `Merge Join  (cost=1.0..100.0 rows=9000 width=8) (actual time=50.0..50.0 rows=0 loops=1)
  ->  Index Scan using a_i on a  (cost=0.00..50.0 rows=900 width=4) (actual time=0.1..20.0 rows=900 loops=1)
  ->  Index Scan using b_i on b  (cost=0.00..50.0 rows=900 width=4) (actual time=0.1..20.0 rows=900 loops=1)
Execution Time: 51.0 ms
`))
	if text := toldOf(d); strings.Contains(text, "times the actual 0") ||
		!strings.Contains(text, "Merge Join: estimate 9000 rows, actual 0 rows") {
		t.Error(text)
	}
}

// TestCompilationInANode: a node runs code that is compiled in its time. Few rows that it removes do not explain it.
func TestCompilationInANode(t *testing.T) {
	const plan = `Seq Scan on m  (cost=0.00..355.0 rows=1 width=7) (actual time=2400.0..2400.1 rows=0 loops=1)
  Filter: (a = 1)
  Rows Removed by Filter: 14000
Planning Time: 1.0 ms
JIT:
  Functions: 600
  Timing: Generation 100.0 ms, Inlining 100.0 ms, Optimization 1200.0 ms, Emission 900.0 ms, Total 2300.0 ms
Execution Time: 2500.0 ms
`
	if text := toldOf(Read("x", parsed(t, plan))); strings.Contains(text, "Filter") ||
		!strings.Contains(text, "JIT") {
		t.Error(text)
	}
	// The same node takes its time without JIT.
	text := toldOf(Read("x", parsed(t, plan[:strings.Index(plan, "JIT:")]+"Execution Time: 2500.0 ms\n")))
	if !strings.Contains(text, "Filters removed") {
		t.Error(text)
	}
}
