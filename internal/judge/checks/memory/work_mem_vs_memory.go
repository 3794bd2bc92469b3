package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// WorkMemVsMemory judges by the same sum from which a plan computes work_mem, for a mixed
// load, as the purpose of the instance is unknown. It is a warning if the expected active
// sessions do not fit; a notice if one hash in every connection does not fit, which no plan
// of any profile allows; information if a sort and a hash in every connection do not fit.
// Within a cgroup cgroup_limit_below_plan judges the expected active sessions.
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

// expectedWork judges the expected active sessions.
func expectedWork(c *check.Case, m memory.Instance, total unit.Bytes, plan sizing.AtWork, known bool) bool {
	p := m.Parts()
	if p.Sum() <= total || !check.AtLeast(p.Work, check.WorkShare, total) || known && m.WorkMem <= plan.WorkMem ||
		m.WorkMem <= memory.WorkMemFloor {
		return false // it cannot be lower: what else fills the memory has its own findings
	}
	if buffers := min(p.Shared, total/4); p.Sum()-p.Shared+buffers <= total {
		c.Because("shared_buffers_vs_memory") // with a quarter for the buffers it would fit
	}
	seen := say.Template("work_mem = {work}, active sessions: {active}, parallel workers: {parallel}. With a sort " +
		"and a hash each (hash_mem_multiplier = {factor}) they may use {used}, with everything else {sum}. Memory: " +
		"{total}.")
	pairs := []any{"work", m.WorkMem.GUC(), "active", m.Active, "parallel", m.Parallel, "factor", m.HashFactor,
		"used", p.Work, "sum", p.Sum(), "total", total}
	if !known || plan.Pinned {
		c.Found(seen, pairs...)
		return true
	}
	c.That(check.Warning, say.All("\n", say.M(c.Remedy()),
		say.M("pgfettle plan allows at most work_mem = '{plan}' here.", "plan", plan.WorkMem.GUC())),
		say.M(seen, pairs...))
	return true
}

// allAtWork judges all connections active.
func allAtWork(c *check.Case, m memory.Instance, total unit.Bytes, plan sizing.AtWork) {
	p := m.AllAtWork().Parts()
	if p.Sum() <= total || !check.AtLeast(p.Work, check.WorkShare, total) || m.WorkMem < memory.WorkMemFloor {
		return
	}
	sev, each := check.Info, say.M("a sort and a hash")
	if one := m.OneNodeEach().Parts(); one.Sum() > total && m.WorkMem > memory.WorkMemFloor {
		p, sev, each = one, check.Notice, say.M("one hash")
	}
	// Other faults of the memory come first.
	c.Because("shared_buffers_vs_memory", "temp_buffers_vs_memory", "cgroup_limit_below_plan", "sysv_shared_memory",
		"huge_pages_not_used",
		"overcommit_limit_too_low", "maintenance_memory_times_workers", "autovacuum_off")
	fit := memory.Mixed.ConnectionsThatFit(m, func(i memory.Instance) bool { return i.Parts().Sum() <= plan.Share })
	seen := say.M("work_mem = {work}, connections: {open}, parallel workers: {parallel}. If all are active with "+
		"{each} each (hash_mem_multiplier = {factor}), they may use {used}, with everything else {sum}. Memory: "+
		"{total}.",
		"work", m.WorkMem.GUC(), "open", m.Connections, "each", each, "factor", m.HashFactor, "parallel", m.Parallel,
		"used", p.Work, "sum", p.Sum(), "total", total)
	do := say.M("Use a connection pooler (PgBouncer), or lower max_connections to the number in use (restart).")
	if fit > 0 {
		seen = say.All(" ", seen, say.N(fit, "With a sort and a hash each, {fit} connection fits the memory budget of "+
			"the instance ({share}).", "With a sort and a hash each, {fit} connections fit the memory budget of the "+
			"instance ({share}).", "fit", fit, "share", plan.Share))
		do = say.M("Use a connection pooler (PgBouncer) with a pool size of at most {fit}, or lower max_connections "+
			"to the number in use (restart).", "fit", fit)
	}
	if m.WorkMem > plan.WorkMem && !plan.Pinned {
		do = say.All("\n", say.M("Set work_mem = '{plan}', the maximum that pgfettle plan allows here (reload). "+
			"Raise it with ALTER ROLE … SET work_mem for the few roles that need it.", "plan", plan.WorkMem.GUC()), do)
	}
	c.That(sev, do, seen)
}
