package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// WorkMemVsMemory judges by the same sum that a plan gives work_mem for, of a mixed
// load, as nobody said what the instance is for. It is a warning where the sessions
// that are expected at work at once do not fit; a notice where one hash in every
// connection does not, which no plan of any profile leaves; else information, where a
// sort and a hash in every connection do not. Within a
// control group cgroup_limit_below_plan judges the sessions that are expected.
var WorkMemVsMemory = check.Check{
	ID:        "work_mem_vs_memory",
	Area:      check.Memory,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "work_mem is too high for this memory",
	DependsOn: []string{"connections_vs_memory"},
	Why: "work_mem limits each sort, not a session. A hash may use hash_mem_multiplier times as much, and each " +
		"parallel worker has its own allowance. Nothing limits the sum: a session that waits for a CPU, a " +
		"lock or its client still holds its sort memory. If the sum exceeds memory, the host swaps, or the " +
		"OOM killer kills a backend and all sessions are disconnected.",
	Do: "1. Lower work_mem for the server, and raise it with ALTER ROLE … SET work_mem for the few roles that " +
		"need it.\n" +
		"2. Lower max_connections to the number in use, or use a connection pooler.",
	Sources: []string{"pg-config-resource", "pg-source-hash"},
	Judge: func(c *check.Case) {
		limit, limited := c.Snapshot.MemoryLimit(c.Instance)
		total, ok := check.Need(c, limit)
		if !ok {
			return
		}
		m, ok := c.AtPeak(c.Instance)
		if !ok {
			return
		}
		if m.AllAtWork().Parts().Sum() <= total { // the expected sessions are among them
			return
		}
		plan, known := c.AtWork()
		if !limited && expectedWork(c, m, total, plan, known) || !known {
			return
		}
		allAtWork(c, m, total, plan)
	},
}

// expectedWork judges the sessions that are expected at work at once.
func expectedWork(c *check.Case, m memory.Instance, total unit.Bytes, plan sizing.AtWork, known bool) bool {
	p := m.Parts()
	if p.Sum() <= total || !check.AtLeast(p.Work, check.WorkShare, total) || known && m.WorkMem <= plan.WorkMem ||
		m.WorkMem <= memory.WorkMemFloor {
		return false // it cannot be lower: whatever else fills the memory has findings of its own
	}
	if buffers := min(p.Shared, total/4); p.Sum()-p.Shared+buffers <= total {
		c.Because("shared_buffers_vs_memory") // with a quarter for the buffers it would fit
	}
	seen := say.Template("work_mem = {work}: {active} sessions at work and {parallel} parallel workers, each with a " +
		"sort and a hash (hash_mem_multiplier = {factor}), may take {used}, with everything else {sum} of {total}.")
	pairs := []any{"work", m.WorkMem.GUC(), "active", m.Active, "parallel", m.Parallel, "factor", m.HashFactor,
		"used", p.Work, "sum", p.Sum(), "total", total}
	if !known || plan.Pinned {
		c.Found(seen, pairs...)
		return true
	}
	c.That(check.Warning, say.All(" ", say.M(c.Remedy()),
		say.M("pgfettle plan gives at most work_mem = '{plan}' here.", "plan", plan.WorkMem.GUC())),
		say.M(seen, pairs...))
	return true
}

// allAtWork judges every connection at work.
func allAtWork(c *check.Case, m memory.Instance, total unit.Bytes, plan sizing.AtWork) {
	p := m.AllAtWork().Parts()
	if p.Sum() <= total || !check.AtLeast(p.Work, check.WorkShare, total) || m.WorkMem < memory.WorkMemFloor {
		return
	}
	sev, each := check.Info, say.M("a sort and a hash")
	if one := m.OneNodeEach().Parts(); one.Sum() > total && m.WorkMem > memory.WorkMemFloor {
		p, sev, each = one, check.Notice, say.M("one hash")
	}
	// Whatever else is wrong with the memory comes first.
	c.Because("shared_buffers_vs_memory", "temp_buffers_vs_memory", "cgroup_limit_below_plan", "sysv_shared_memory",
		"huge_pages_not_used",
		"overcommit_limit_too_low", "maintenance_memory_times_workers", "autovacuum_off")
	fit := memory.Mixed.ConnectionsThatFit(m, func(i memory.Instance) bool { return i.Parts().Sum() <= plan.Share })
	seen := say.M("work_mem = {work}: all {open} connections at work with {each} each (hash_mem_multiplier = "+
		"{factor}) and {parallel} parallel workers may take {used}, with everything else {sum} of {total}.",
		"work", m.WorkMem.GUC(), "open", m.Connections, "each", each, "factor", m.HashFactor, "parallel", m.Parallel,
		"used", p.Work, "sum", p.Sum(), "total", total)
	do := say.M("Put a pooler (PgBouncer) in front of the server, or lower max_connections to what is really used.")
	if fit > 0 {
		seen = say.All(" ", seen, say.M("With a sort and a hash each {fit} of them fit the {share} that the instance "+
			"may have.", "fit", fit, "share", plan.Share))
		do = say.M("Put a pooler (PgBouncer) with at most {fit} sessions in front of the server, or lower "+
			"max_connections to what is really used.", "fit", fit)
	}
	if m.WorkMem > plan.WorkMem && !plan.Pinned {
		do = say.All(" ", say.M("Set work_mem = '{plan}', the most that pgfettle plan gives here, and raise it with "+
			"ALTER ROLE … SET work_mem for the few roles that need it.", "plan", plan.WorkMem.GUC()), do)
	}
	c.That(sev, do, seen)
}
