package slow

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
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

// TestInconsistent verifies that figures that one execution cannot have are reported, and that no conclusion is drawn
// about where the time of such a paste went.
func TestInconsistent(t *testing.T) {
	d := Read("x", parsed(t, `Hash Join  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)
  ->  Seq Scan on a  (cost=0.00..50.0 rows=1000 width=4) (actual time=0.1..50.9 rows=1000 loops=1)
  ->  Hash  (cost=1.0..1.0 rows=10 width=4) (actual time=0.5..5.0 rows=10 loops=1)
        ->  Index Scan using b_pkey on b  (cost=0.1..1.0 rows=1 width=4) (actual time=1.0..2.0 rows=1 loops=500)
Execution Time: 51.0 ms
`))
	if len(d.Inconsistent) != 1 || !strings.Contains(d.Inconsistent[0].String(), "500 × 2.0 ms") {
		t.Errorf("%q", d.Inconsistent)
	}
	if !strings.Contains(d.Verdict.String(), "contradict each other") || strings.Contains(d.Verdict.String(),
		"% of it") {
		t.Errorf("%q", d.Verdict)
	}
	d = Read("x", parsed(t, `Sort  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)
  ->  Seq Scan on a  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..90.0 rows=10 loops=1)
Execution Time: 100.0 ms
`))
	if len(d.Inconsistent) != 1 || !strings.Contains(d.Inconsistent[0].String(), "its parent Sort") {
		t.Errorf("%q", d.Inconsistent)
	}
}

// TestMemoryIsBounded verifies that no work_mem is named that no session should have, and that two runs name no more
// than the fast one took.
func TestMemoryIsBounded(t *testing.T) {
	const spilled = `Sort  (cost=1.0..100.0 rows=10 width=8) (actual time=1000.0..9000.0 rows=1000000 loops=1)
  Sort Key: a
  Sort Method: external merge  Disk: 3046400kB
  ->  Seq Scan on a  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..90.0 rows=1000000 loops=1)
Execution Time: 9100.0 ms
`
	slow := parsed(t, spilled)
	for _, v := range Read("x", slow).Verdicts {
		if strings.Contains(strings.Join(say.Strings(v.Next), " "), "work_mem = '") {
			t.Errorf("%q", v.Next)
		}
	}
	fast := parsed(t, strings.Replace(strings.Replace(spilled, "external merge  Disk: 3046400kB",
		"quicksort  Memory: 3789kB", 1), "9000.0", "100.0", 1)+"Settings: work_mem = '6MB'\n")
	fast.Execution = new(float64)
	*fast.Execution = 110
	d := Compare("slow", slow, "fast", fast)
	i := slices.IndexFunc(d.Verdicts, func(v Verdict) bool { return v.ID == "spill" })
	if i < 0 || !strings.Contains(strings.Join(say.Strings(d.Verdicts[i].Next), " "), "SET work_mem = '4MB'") {
		t.Errorf("%+v", d.Verdicts)
	}
	// The fast run sorts nothing: no memory is named at all.
	other := parsed(t,
		`Index Scan using a_i on a  (cost=0.00..50.0 rows=10 width=4) (actual time=0.1..90.0 rows=1000000 loops=1)
Execution Time: 95.0 ms
`)
	for _, v := range Compare("slow", slow, "fast", other).Verdicts {
		if text := strings.Join(say.Strings(v.Next), " "); strings.Contains(text, "work_mem = '") ||
			strings.Contains(text, "ANALYZE a") {
			t.Errorf("%s: %q", v.ID, v.Next)
		}
	}
}

// TestPartsOfPlans verifies that a node whose inputs are missing has no time of its own.
func TestPartsOfPlans(t *testing.T) {
	d := Read("x", parsed(t, `  ->  Sort  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)
`))
	if d.Nodes[0].Own != nil || !d.Plan.Fragment || len(d.Verdicts) > 0 {
		t.Errorf("%+v %+v", d.Nodes, d.Verdicts)
	}
}

// TestLossyBrin verifies that a small lossy bitmap is not reported, and that a large one of which all is lossy may be
// that of a BRIN index.
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
	if v := has("80000"); v == nil || v.Certainty != Possible || !strings.Contains(strings.Join(say.Strings(v.Next),
		" "), "BRIN") {
		t.Errorf("%+v", v)
	}
}

// verdict is what is reported about one thing in a plan; nil if nothing is.
func verdict(t *testing.T, text, id string) *Verdict {
	t.Helper()
	d := Read("x", parsed(t, text))
	i := slices.IndexFunc(d.Verdicts, func(v Verdict) bool { return v.ID == id })
	if i < 0 {
		return nil
	}
	return &d.Verdicts[i]
}

// TestLockWaits verifies that a change of few rows that took long is reported to have waited, and that one which had
// work to do, or did not wait by its own words, is not.
func TestLockWaits(t *testing.T) {
	const update = `Update on w  (cost=0.4..8.4 rows=0 width=0) (actual time=38114.8..38114.8 rows=0 loops=1)
  Buffers: shared hit=7
  ->  Index Scan using w_pkey on w  (cost=0.4..8.4 rows=1 width=38) (actual time=0.01..0.02 rows=1 loops=1)
        Buffers: shared hit=4
Execution Time: 38114.9 ms
`
	uncounted := strings.NewReplacer("  Buffers: shared hit=7\n", "",
		"        Buffers: shared hit=4\n", "").Replace(update)
	for name, c := range map[string]struct{ text, certainty string }{
		"few blocks":  {update, Likely},
		"lock rows":   {strings.Replace(update, "Update on w", "LockRows", 1), Likely},
		"no buffers":  {uncounted, Possible},
		"many blocks": {strings.Replace(update, "hit=7", "hit=700 read=68000", 1), ""},
		"many rows":   {strings.Replace(uncounted, "rows=1 loops=1)\nE", "rows=90000 loops=1)\nE", 1), ""},
		"a trigger that took it": {strings.Replace(update, "Execution",
			"Trigger t: time=38000.0 calls=1\nExecution", 1), ""},
		"skips": {"2024-05-01 10:00:00.1 UTC [1] LOG:  duration: 38114.9 ms  plan:\n\tQuery Text: SELECT 1 FOR " +
			"UPDATE SKIP LOCKED\n\t" + strings.ReplaceAll(strings.TrimSuffix(update, "\n"), "\n", "\n\t") + "\n", ""},
		"short": {strings.ReplaceAll(update, "38114", "114"), ""},
	} {
		v := verdict(t, c.text, "lock-wait")
		if (v == nil) != (c.certainty == "") || v != nil && v.Certainty != c.certainty {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// TestEstimatesThatAreNone holds which nodes' rows are not compared with their estimates.
func TestEstimatesThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		told bool
	}{
		"a scan": {`Seq Scan on t  (cost=0.0..9.0 rows=9000 width=4) (actual time=0.1..9.0 rows=1 loops=1)
`, true},
		"combined bitmaps": {`BitmapAnd  (cost=0.0..9.0 rows=9000 width=0) (actual time=0.1..9.0 rows=0 loops=1)
`, false},
		"Citus": {`Custom Scan (Citus Adaptive)  (cost=0.0..9.0 rows=100000 width=0) (actual rows=1 loops=1)
`, false},
		"removed partitions": {`Append  (cost=0.0..9.0 rows=90000 width=0) (actual time=0.1..9.0 rows=1 loops=1)
  Subplans Removed: 61
  ->  Seq Scan on p1  (cost=0.0..9.0 rows=1 width=4) (actual time=0.1..9.0 rows=1 loops=1)
`, false},
		"more than all partitions": {`Append  (cost=0.0..9.0 rows=9 width=0) (actual time=0.1..9.0 rows=9000 loops=1)
  Subplans Removed: 61
  ->  Seq Scan on p1  (cost=0.0..9.0 rows=9000 width=4) (actual time=0.1..9.0 rows=9000 loops=1)
`, true},
		"ended by a Limit": {`Limit  (cost=0.0..9.0 rows=10 width=4) (actual time=0.1..9.0 rows=10 loops=1)
  ->  Seq Scan on t  (cost=0.0..9.0 rows=9000 width=4) (actual time=0.1..8.0 rows=10 loops=1)
`, false},
		"a sort reads all": {`Limit  (cost=0.0..9.0 rows=10 width=4) (actual time=0.1..9.0 rows=10 loops=1)
  ->  Sort  (cost=0.0..9.0 rows=9000 width=4) (actual time=0.1..8.5 rows=10 loops=1)
        ->  Seq Scan on t  (cost=0.0..9.0 rows=9000 width=4) (actual time=0.1..8.0 rows=20 loops=1)
`, true},
	} {
		if v := verdict(t, c.text, "misestimate"); (v != nil) != c.told {
			t.Errorf("%s: %+v", name, v)
		}
	}
	v := verdict(t, `Function Scan on f  (cost=0.0..9.0 rows=1000 width=4) (actual time=0.1..9.0 rows=1 loops=1)
`, "misestimate")
	if v == nil || strings.Contains(strings.Join(say.Strings(v.Next), " "), "ANALYZE") {
		t.Errorf("a function has no statistics: %+v", v)
	}
}

// TestTimeOfAllProcesses verifies that the sum of what several processes compiled is no share of the time.
func TestTimeOfAllProcesses(t *testing.T) {
	const text = `Gather  (cost=0.0..9.0 rows=9 width=4) (actual time=0.1..1900.0 rows=9 loops=1)
  Workers Planned: 3
  Workers Launched: 3
  ->  Parallel Seq Scan on t  (cost=0.0..9.0 rows=3 width=4) (actual time=0.1..1890.0 rows=3 loops=4)
JIT:
  Functions: 4
  Timing: Generation 1.0 ms, Inlining 1.0 ms, Optimization 1.0 ms, Emission 1.0 ms, Total 1600.0 ms
Execution Time: 2000.0 ms
`
	v := verdict(t, text, "jit")
	if v == nil || *v.Explains != 400 || v.Certainty != Likely {
		t.Errorf("%+v", v)
	}
	if v := verdict(t, strings.Replace(text, "Launched: 3", "Launched: 0", 1), "jit"); v == nil || *v.Explains != 1600 {
		t.Errorf("%+v", v)
	}
}

// TestWhereTheFilterIs verifies that no index is advised if none would help.
func TestWhereTheFilterIs(t *testing.T) {
	const text = ` on t  (cost=0.0..9.0 rows=9 width=4) (actual time=0.1..900.0 rows=9 loops=1)
  FILTER
  Rows Removed by Filter: 90000
Execution Time: 901.0 ms
`
	for filter, c := range map[string]struct{ scan, want string }{
		"Filter: (a = 1)":                  {"Seq Scan", "An index for (a = 1)"},
		"Filter: (a ~~* '%x%'::text)":      {"Seq Scan", "pg_trgm"},
		"Filter: (a ~~ '%x'::text)":        {"Parallel Seq Scan", "pg_trgm"},
		"Filter: (a ~~ 'x%'::text)":        {"Seq Scan", "An index for"},
		"Filter: (NOT (hashed SubPlan 1))": {"Seq Scan", "EXISTS"},
		"Filter: (f(a) = 2)":               {"Foreign Scan", "remote server"},
		"Vectorized Filter: (a > 3)":       {"Custom Scan (DecompressChunk)", "compress_segmentby"},
	} {
		v := verdict(t, c.scan+strings.Replace(text, "FILTER", filter, 1), "rows-removed")
		if v == nil || !strings.Contains(strings.Join(say.Strings(v.Next), " "), c.want) {
			t.Errorf("%s: %+v", filter, v)
		}
	}
}

// TestWhatNoNodeHas verifies that serialization of the output, and what functions run, are reported.
func TestWhatNoNodeHas(t *testing.T) {
	v := verdict(t, `Seq Scan on t  (cost=0.0..1.0 rows=9 width=0) (actual time=0.1..7.0 rows=9 loops=1)
Serialization: time=80.5 ms  output=19112kB  format=text
Execution Time: 88.1 ms
`, "serialize")
	if v == nil || *v.Explains != 80.5 {
		t.Errorf("%+v", v)
	}
	for _, head := range []string{"Result", "Function Scan on f"} {
		v := verdict(t, head+"  (cost=0.0..1.0 rows=1 width=0) (actual time=1811.1..1811.7 rows=1 loops=1)\n",
			"function-call")
		if v == nil || !strings.Contains(strings.Join(say.Strings(v.Next), " "), "log_nested_statements") {
			t.Errorf("%s: %+v", head, v)
		}
	}
}

// TestOneC: a plan on tables of 1C lacks what 1C sets for its sessions, unless its SETTINGS show that.
func TestOneC(t *testing.T) {
	const plan = "Seq Scan on _reference12  (cost=1.0..100.0 rows=10 width=8) (actual time=1.0..50.0 rows=10 loops=1)\n"
	if got := strings.Join(say.Strings(Read("x", parsed(t, plan)).Missing), "\n"); !strings.Contains(got, "1C") {
		t.Errorf("%q", got)
	}
	with := plan + "Settings: enable_mergejoin = 'off'\n"
	if got := strings.Join(say.Strings(Read("x", parsed(t, with)).Missing), "\n"); strings.Contains(got, "1C") {
		t.Errorf("%q", got)
	}
}
