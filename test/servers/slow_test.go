package servers

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/fact/queryplan"
	diagslow "github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
)

// quicker divides the times of a run by a hundred. How much slower a spill or a
// cold cache is on a busy machine is the machine's affair: what is held here is
// what the judge reads off the nodes of two real runs.
func quicker(p *queryplan.Plan) {
	by := func(v *float64) {
		if v != nil {
			*v /= 100
		}
	}
	by(p.Planning)
	by(p.Execution)
	p.Root.Walk(func(n *queryplan.Node) {
		if n.Actual != nil {
			by(n.Actual.Startup)
			by(n.Actual.Total)
		}
		if n.IO != nil {
			by(&n.IO.Read)
			by(&n.IO.TempRead)
			by(&n.IO.TempWrite)
		}
	})
}

// TestSlowPairs makes one query slow for one reason at a time, on a real server, and verifies that this reason is
// reported: as the first if the query is sure to be much slower.
func TestSlowPairs(t *testing.T) {
	each(t, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"autovacuum": "off", "jit": "off", "max_parallel_workers_per_gather": "0",
			"deadlock_timeout": "10s", "track_io_timing": "on"})
		conn := session(t, i)
		lines(t, conn, explainData)
		lines(t, conn, "VACUUM ANALYZE")
		run := func(before, sql string) string {
			if before != "" {
				lines(t, conn, before)
			}
			out := lines(t, conn, "EXPLAIN (ANALYZE, BUFFERS) "+sql)
			lines(t, conn, "RESET ALL")
			return out
		}
		pair := func(name, want string, first bool, slow, fast string) {
			t.Helper()
			var plans []*queryplan.Plan
			for _, s := range []string{slow, fast} {
				list, err := queryplan.Parse([]byte(s))
				if err != nil || len(list) != 1 {
					t.Fatalf("%s: %v\n%s", name, err, s)
				}
				plans = append(plans, list[0])
			}
			if !first {
				quicker(plans[1])
			}
			d := diagslow.Compare("slow", plans[0], "fast", plans[1])
			if d.Slow.Name != "slow" {
				t.Fatalf("%s: the slow run is taken for the fast one:\n%s\n%s", name, slow, fast)
			}
			for n, v := range d.Verdicts {
				if v.ID == want && (n == 0 || !first) {
					t.Logf("%s: %s", name, d.Verdict)
					return
				}
			}
			t.Errorf("%s: %s is not told: %s %+v\n%s\n%s", name, want, d.Verdict, d.Verdicts, slow, fast)
		}
		const sort = "SELECT * FROM big ORDER BY pad, v, id"
		run("SET work_mem = '64MB'", sort)
		fast := run("SET work_mem = '64MB'", sort)
		pair("spill", "spill", false, run("SET work_mem = '64kB'", sort), fast)

		const point = "SELECT v FROM big WHERE id = 4711"
		fast = run("", point)
		pair("other plan", "other-index", false,
			run("SET enable_indexscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off", point), fast)

		const byIndex = "SET enable_seqscan = off; SET enable_bitmapscan = off"
		pair("more rows", "other-rows", false, run(byIndex, "SELECT sum(v) FROM big WHERE id < 19000"),
			run(byIndex, "SELECT sum(v) FROM big WHERE id < 20"))

		// A row that another session has changed and keeps for a while.
		holder := session(t, i)
		const change = "UPDATE small SET v = v WHERE id = 1"
		fast = run("", change)
		lines(t, holder, "BEGIN; UPDATE small SET v = v WHERE id = 1")
		freed := make(chan error, 1)
		watching := session(t, i)
		go func() {
			// By the server's own clock: so long has the change waited, whenever it began.
			for {
				res, err := watching.Exec(t.Context(),
					"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND clock_timestamp() - "+
						"query_start > interval '0.7 s'; SELECT pg_sleep(0.01)").ReadAll()
				if err == nil && string(res[0].Rows[0][0]) == "0" {
					continue
				}
				if err == nil {
					_, err = holder.Exec(t.Context(), "COMMIT").ReadAll()
				}
				freed <- err
				return
			}
		}()
		slow := run("", change)
		if err := <-freed; err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(slow, "Update on small") {
			t.Fatalf("no update:\n%s", slow)
		}
		pair("row lock", "lock-wait", true, slow, fast)

		const all = "SELECT sum(v) FROM big"
		run("", all)
		// After a restart nothing is in shared buffers.
		fast = run("", all)
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := i.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		conn = session(t, i)
		pair("cold", "reads", false, run("", all), fast)
	})
}
