package check

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// workShare: the finding is about work_mem only where sorts and hashes are a
// good part of what does not fit; where buffers or the mere number of
// connections fill the memory, others tell.
const workShare = 25

// WorkMemVsMemory judges by the same peak that a plan gives work_mem for: three
// sessions for each processor at work, with a sort and a hash at once, and all
// parallel workers; a plan gives half of what is left then. That all connections
// might sort at once is no finding: the processors cannot bring it about, and a
// plan does not reckon with it. Within a control group cgroup_limit_below_plan
// judges, as there the end is another one.
var WorkMemVsMemory = Check{
	ID:        "work_mem_vs_memory",
	Area:      Memory,
	Severity:  Warning,
	Scope:     PerInstance,
	Title:     "work_mem allows more than the memory holds",
	DependsOn: []string{"connections_vs_memory"},
	Why: "work_mem is not a limit of a session but of each sort in it, hashes may take hash_mem_multiplier times as much, and each parallel worker has its own " +
		"allowance. Nothing bounds the sum. When it exceeds the memory the host swaps, or the OOM killer ends a backend, and the server " +
		"throws out every session to recover.",
	Do: "Lower work_mem for the server and raise it with ALTER ROLE … SET work_mem for the few roles that need it; lower max_connections to what is " +
		"really used, or put a pooler before the server.",
	Sources: []string{"pg-config-resource", "pg-source-hash"},
	Judge: func(c *Case) {
		limit, limited := c.Snapshot.MemoryLimit(c.Instance)
		total, ok := Need(c, limit)
		if !ok || limited {
			return
		}
		m, ok := c.atPeak(c.Instance)
		if !ok {
			return
		}
		p := m.Parts()
		if p.Sum() <= total || !atLeast(p.Work, workShare, total) {
			return
		}
		fit := workMemThatFits(m, total)
		if m.WorkMem <= fit {
			return // it cannot be lower: whatever else fills the memory has findings of its own
		}
		if buffers := min(p.Shared, total/4); p.Sum()-p.Shared+buffers <= total {
			c.Because("shared_buffers_vs_memory") // with a quarter for the buffers it would fit
		}
		seen := "work_mem = {work}: {active} sessions at work and {parallel} parallel workers, each with a sort and a hash (hash_mem_multiplier = {factor}), may take {used}, with everything else {sum} of {total}."
		pairs := []any{"work", m.WorkMem.GUC(), "active", m.Active, "parallel", m.Parallel, "factor", m.HashFactor,
			"used", p.Work, "sum", p.Sum(), "total", total, "fit", fit.GUC()}
		if fit == workMemSmallest { // nothing is left for it
			c.Found(seen, pairs...)
			return
		}
		c.FoundDo(Warning, c.check.Do+" With everything else as it is, work_mem = '{fit}' is half of what is left.", seen, pairs...)
	},
}

// workMemSmallest is the least that PostgreSQL accepts.
const workMemSmallest = 64 * unit.KB

// workMemThatFits returns the work_mem that a plan would give beside everything
// else as it is, in whole megabytes where there is one; the smallest that there
// is where nothing is left.
func workMemThatFits(m memory.Instance, total unit.Bytes) unit.Bytes {
	p := m.Parts()
	fit := m.WorkMemOf(total - memory.ReserveOf(total) - (p.Sum() - p.Work))
	if fit >= unit.MB {
		return fit.RoundDown(unit.MB)
	}
	return max(fit.RoundDown(workMemSmallest), workMemSmallest)
}
