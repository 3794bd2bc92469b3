package sampled

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/live"
)

// calm is a watch of ten seconds on four CPUs with nothing to report: two queries active, half of the time idle.
func calm() *live.Episode {
	c := func(at int64) live.Counters {
		return live.Counters{CPU: host.CPUCounters{User: 1000 + at*600, System: 100 + at*100, Idle: 1000 + at*3300,
			Switches: at * 1000},
			VM: map[string]int64{"pgfault": at * 5000, "pgmajfault": at, "compact_stall": 7, "pgscan_direct": 0,
				"pswpin": 0, "pswpout": 0},
			Pressure: map[string]host.PSITotals{"cpu": {Some: at * 10000}, "memory": {}, "io": {Some: at * 1000}},
			CGroup:   map[string]int64{}, CGPressure: map[string]host.PSITotals{}}
	}
	return &live.Episode{Seconds: 10, CPUs: 4, HostSeen: true, Before: c(1), After: c(2), Memory: 64 * unit.GB,
		Tables: 100 * unit.MB, Asked: 40,
		Ticks:     []live.Tick{{Running: 1}, {Running: 2}},
		Processes: []live.Busy{{PID: 100, Name: "postgres", Ours: true, CPU: 5}, {PID: 7, Name: "sshd", CPU: 0.1}},
		Waits: []live.Wait{{Backend: "client backend", State: "active", Seen: 30},
			{Backend: "client backend", State: "active", Type: "Client", Event: "ClientRead", Seen: 2},
			{Backend: "client backend", State: "idle", Type: "Client", Event: "ClientRead", Seen: 400},
			{Backend: "checkpointer", Type: "Activity", Event: "CheckpointerMain", Seen: 40}}}
}

// TestSlowSample changes one thing of a calm host at a time and holds what the
// first verdict is, with a word of its text.
func TestSlowSample(t *testing.T) {
	wait := func(kind, event string, n int) func(*live.Episode) {
		return func(e *live.Episode) {
			e.Waits = append(e.Waits, live.Wait{Backend: "client backend", State: "active", Type: kind,
				Event: event, Seen: n})
		}
	}
	symbol := func(s live.Symbol) func(*live.Episode) {
		return func(e *live.Episode) { e.Perf = append(e.Perf, s) }
	}
	full := func(e *live.Episode) {
		e.After.CPU.Idle = e.Before.CPU.Idle
		e.After.CPU.User += 3300
		e.Ticks = []live.Tick{{Running: 12}, {Running: 10}}
		e.After.Pressure["cpu"] = host.PSITotals{Some: 8_000_000}
	}
	for _, c := range []struct {
		name, id, word string
		change         []func(*live.Episode)
	}{
		{"calm", "", "", nil},
		{"lock jam", "lock-jam", "pg_terminate_backend(4711)", []func(*live.Episode){wait("Lock", "transactionid", 300),
			func(e *live.Episode) {
				e.Blockers = []live.Blocker{{PID: 4711, Waiters: 9, State: "idle in transaction", Since: 600,
					Query: "UPDATE t", Example: "UPDATE t SET x = 1"}}
			}}},
		{"pgbench", "lock-jam", "between two statements", []func(*live.Episode){wait("Lock", "transactionid", 300),
			func(e *live.Episode) {
				e.Blockers = []live.Blocker{{PID: 4711, Waiters: 9, State: "idle in transaction",
					Query: "UPDATE pgbench_branches", Waiting: []live.Waiter{{PID: 12, Seconds: 3}}}}
			}}},
		{"who waits", "lock-jam", "waiting: 12 for 3 s", []func(*live.Episode){wait("Lock", "transactionid", 300),
			func(e *live.Episode) {
				e.Blockers = []live.Blocker{{PID: 4711, Waiters: 1, State: "active", Since: 5, Query: "UPDATE t",
					Waiting: []live.Waiter{{PID: 12, Seconds: 3}}}}
			}}},
		{"commits", "lwlocks", "WALWrite 100%", []func(*live.Episode){wait("LWLock", "WALWrite", 100)}},
		{"disk", "io-waits", "DataFileRead 100%", []func(*live.Episode){wait("IO", "DataFileRead", 100)}},
		{"standby", "ipc-waits", "SyncRep", []func(*live.Episode){wait("IPC", "SyncRep", 100)}},
		{"clients", "clients", "ClientWrite", []func(*live.Episode){wait("Client", "ClientWrite", 100)}},
		{"full of ours", "cpu-full", "pg_stat_statements", []func(*live.Episode){full}},
		{"a hog", "cpu-others", "PID 99 (stress)", []func(*live.Episode){full, func(e *live.Episode) {
			e.Processes = append(e.Processes, live.Busy{PID: 99, Name: "stress", CPU: 30})
		}}},
		{"stolen", "steal", "stolen", []func(*live.Episode){func(e *live.Episode) { e.After.CPU.Steal += 1000 }}},
		{"throttled", "throttled", "quota", []func(*live.Episode){func(e *live.Episode) {
			e.After.CGroup = map[string]int64{"nr_periods": 100, "nr_throttled": 50}
		}}},
		{"memory", "memory", "diagnose memory", []func(*live.Episode){func(e *live.Episode) {
			e.After.Pressure["memory"] = host.PSITotals{Some: 3_000_000}
		}}},
		{"group", "cgroup-memory", "512 MB", []func(*live.Episode){func(e *live.Episode) {
			e.Before.CGPressure["memory"], e.After.CGPressure["memory"] = host.PSITotals{},
				host.PSITotals{Some: 4_000_000}
			e.After.CGMemory, e.After.CGMemoryMax = 511*unit.MB, 512*unit.MB
		}}},
		{"compaction", "compaction", "10.0 per second", []func(*live.Episode){func(e *live.Episode) {
			e.After.VM["compact_stall"] += 100
		}}},
		{"page tables", "page-tables", "45 GB", []func(*live.Episode){func(e *live.Episode) {
			e.Tables, e.Memory = 45*unit.GB, 128*unit.GB
		}}},
		{"spinlocks", "spinlocks", "s_lock", []func(*live.Episode){
			symbol(live.Symbol{Percent: 8.64, Command: "postgres", Name: "s_lock"})}},
		{"the blog's trap", "monitoring-smaps", "not PostgreSQL walking page tables",
			[]func(*live.Episode){symbol(live.Symbol{Percent: 4.44, Command: "cat", Kernel: true,
				Name: "smaps_pte_entry"})}},
		{"reclaim", "reclaim", "shrink_lruvec", []func(*live.Episode){
			symbol(live.Symbol{Percent: 9, Command: "postgres", Kernel: true, Name: "shrink_lruvec.isra.0"})}},
		{"computing", "computing", "diagnose slow", []func(*live.Episode){wait("", "", 100)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := calm()
			for _, f := range c.change {
				f(e)
			}
			d := Judge("x", e)
			if c.id == "" {
				if len(d.Verdicts) > 0 || !strings.Contains(d.Verdict.String(), "Nothing unusual: ") {
					t.Errorf("%q: %+v", d.Verdict, d.Verdicts)
				}
				return
			}
			if len(d.Verdicts) == 0 || d.Verdicts[0].ID != c.id {
				t.Fatalf("%q: %+v", d.Verdict, d.Verdicts)
			}
			v := d.Verdicts[0]
			if text := strings.Join(say.Strings(slices.Concat([]say.Message{v.Title}, v.Evidence,
				v.Next)), "\n"); !strings.Contains(text, c.word) {
				t.Errorf("%q is not in %s", c.word, text)
			}
		})
	}
}

// TestIdleForNoTime verifies that the report does not advise terminating a session that is between two statements.
func TestIdleForNoTime(t *testing.T) {
	e := calm()
	e.Waits = append(e.Waits, live.Wait{Backend: "client backend", State: "active", Type: "Lock", Event: "tuple",
		Seen: 300})
	e.Blockers = []live.Blocker{{PID: 4711, Waiters: 9, State: "idle in transaction", Query: "UPDATE pgbench_tellers"}}
	for _, v := range Judge("x", e).Verdicts {
		if strings.Contains(strings.Join(say.Strings(v.Next), " "), "pg_terminate_backend") {
			t.Errorf("%v", v.Next)
		}
	}
}

// TestSlowSampleKnowsNothing verifies that what could not be seen is not judged.
func TestSlowSampleKnowsNothing(t *testing.T) {
	d := Judge("x", &live.Episode{Seconds: 10})
	if len(d.Verdicts) > 0 || !strings.Contains(d.Verdict.String(),
		"Nothing was observed") || d.Figures != (Figures{}) {
		t.Errorf("%q %+v %+v", d.Verdict, d.Verdicts, d.Figures)
	}
	e := calm()
	e.HostSeen, e.Before, e.After, e.Ticks, e.Processes, e.Tables = false, live.Counters{}, live.Counters{}, nil, nil, 0
	d = Judge("x", e)
	if d.Figures.Busy != nil || d.Figures.PageTables != nil || d.Figures.Active == nil {
		t.Errorf("figures of a host that was not seen: %+v", d.Figures)
	}
}

// TestQuietHalf verifies that nothing is said of a host or of a server that was not seen.
func TestQuietHalf(t *testing.T) {
	e := calm()
	e.HostSeen, e.Before, e.After, e.Ticks, e.Processes, e.Tables = false, live.Counters{}, live.Counters{}, nil, nil, 0
	if d := Judge("x", e); d.Verdict.String() != "Nothing unusual in the server; the host was not observed." {
		t.Errorf("%q %+v", d.Verdict, d.Verdicts)
	}
	e = calm()
	e.Asked, e.Waits = 0, nil
	if d := Judge("x", e); d.Verdict.String() != "Nothing unusual on the host; the server was not observed." {
		t.Errorf("%q %+v", d.Verdict, d.Verdicts)
	}
	// A cgroup that is at its limit: of the rates of the kernel only those that were read are reported.
	e = calm()
	e.Before.CGPressure["memory"], e.After.CGPressure["memory"] = host.PSITotals{}, host.PSITotals{Some: 4_000_000}
	e.After.CGMemory, e.After.CGMemoryMax = 511*unit.MB, 512*unit.MB
	delete(e.After.VM, "pswpin")
	d := Judge("x", e)
	if text := strings.Join(say.Strings(d.Verdicts[0].Evidence), "\n"); strings.Contains(text, "swapped in") ||
		!strings.Contains(text, "swapped out") {
		t.Errorf("%s", text)
	}
}
