package check

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// workShare: the finding is about work_mem only where sorts and hashes are a
// good part of what does not fit; where buffers or the mere number of
// connections fill the memory, others tell.
const workShare = 25

// WorkMemVsMemory judges twice. A warning is what the processors can bring
// about: three sessions each at work, with a sort and a hash at once, and all
// parallel workers. A notice is what the settings allow: every connection
// sorting once. Within a control group cgroup_limit_below_plan judges, as there
// the end is another one.
var WorkMemVsMemory = Check{
	ID:        "work_mem_vs_memory",
	Area:      Memory,
	Severity:  Notice,
	Scope:     PerInstance,
	Title:     "work_mem allows more than the memory holds",
	DependsOn: []string{"shared_buffers_vs_memory"},
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
		m, ok := Need(c, memory.AsItIs(c.Snapshot, c.Instance, memory.Mixed))
		if !ok {
			return
		}
		tell := func(sev Severity, m memory.Instance, words string) bool {
			p := m.Parts()
			if p.Sum() <= total || !atLeast(p.Work, workShare, total) {
				return false
			}
			fit := workMemThatFits(m, total)
			c.FoundDo(sev, c.check.Do+" With the present max_connections, work_mem = '{fit}' would fit.",
				"work_mem = {work}: "+words+" may take {used}, with everything else {sum} of {total}.",
				"work", m.WorkMem.GUC(), "active", m.Active, "parallel", m.Parallel, "factor", m.HashFactor,
				"used", p.Work, "sum", p.Sum(), "total", total, "fit", fit.GUC())
			return true
		}
		if peak, ok := c.atPeak(c.Instance); ok {
			if tell(Warning, peak, "{active} sessions at work and {parallel} parallel workers, each with a sort and a hash (hash_mem_multiplier = {factor}),") {
				return
			}
		}
		m.Active, m.Hashes, m.Parallel = m.Connections, 0, 0
		tell(Notice, m, "all {active} connections sorting once")
	},
}

// workMemThatFits returns the work_mem at which the parts fill the memory less
// its reserve, in whole megabytes and not below PostgreSQL's own default.
func workMemThatFits(m memory.Instance, total unit.Bytes) unit.Bytes {
	const least = 4 * unit.MB
	p := m.Parts()
	left := total - memory.ReserveOf(total) - (p.Sum() - p.Work)
	allowances := float64(m.Working()) * m.Allowances()
	if left <= 0 || allowances <= 0 {
		return least
	}
	return max(left.Scale(1/allowances).RoundDown(unit.MB), least)
}
