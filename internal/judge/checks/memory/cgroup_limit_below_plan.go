package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// CgroupLimitBelowPlan is critical when the limit does not even hold what is
// in use without any query: shared memory and the backends themselves.
var CgroupLimitBelowPlan = check.Check{
	ID:        "cgroup_limit_below_plan",
	Area:      check.Memory,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "cgroup memory limit is below expected peak memory use",
	DependsOn: []string{"shared_buffers_vs_memory"},
	Why: "The kernel charges shared memory on regular pages, page tables, private memory and the page cache of " +
		"the instance to its control group (cgroup). At the limit the kernel first drops page cache, then " +
		"kills a process of the cgroup, however much memory the host has free. After an OOM kill of a backend " +
		"the server disconnects all sessions and runs crash recovery. Settings that suit the memory of the " +
		"host do not fit into a smaller container.",
	Do: "Raise the limit (MemoryMax= of the unit, --memory of the container, or the memory limit of the pod). " +
		"Or reduce shared_buffers, work_mem and max_connections to fit it.",
	Sources: []string{"linux-cgroup-v2", "linux-oom", "pg-config-resource"},
	Judge: func(c *check.Case) {
		limit, limited := c.Snapshot.MemoryLimit(c.Instance)
		if !limited {
			if _, ok := check.Need(c, limit); ok {
				check.Need(c, c.Instance.CGroup)
			}
			return
		}
		total, ok := check.Need(c, limit)
		if !ok {
			return
		}
		m, ok := c.AtPeak(c.Instance)
		if !ok {
			return
		}
		p := m.Parts()
		shared := say.M("shared memory {shared}", "shared", p.Shared)
		if m.SharedPage > memory.BasePage(c.Snapshot) && !memory.HugeCharged(c.Instance) {
			// Huge pages are charged to the hugetlb controller, and to this limit only if the hierarchy is mounted with
			// memory_hugetlb_accounting.
			p.Shared, shared = 0, say.M("no shared memory, as huge pages are not charged")
		}
		if p.Sum() <= total {
			return
		}
		sev := check.Warning
		if p.Shared+p.PageTables+p.Backends > total {
			sev = check.Critical
		}
		cg, _ := c.Instance.CGroup.Get()
		by := cg.LimitedBy["memory"]
		if by == "" {
			by = cg.Path
		}
		c.FoundDo(sev,
			"Raise the limit to at least {enough} (MemoryMax= of the unit, --memory of the container, or the memory "+
				"limit of the pod). Or reduce shared_buffers, work_mem and max_connections to fit {total}.",
			"cgroup {path}: memory limit {total}, expected peak {sum}. Of this, {shared}; page tables {tables}; "+
				"private memory of {procs} processes {backends}; sorts and hashes {work} (active sessions: {active}, "+
				"parallel workers: {parallel}); maintenance {maintenance}.",
			"path", by, "total", total, "sum", p.Sum(), "shared", shared, "tables", p.PageTables, "backends",
			p.Backends, "procs", m.Connections+m.Processes, "work", p.Work,
			"active", m.Active, "parallel", m.Parallel, "maintenance", p.Maintenance, "enough",
			(p.Sum() + p.Sum()/4).RoundUp(unit.GB))
	},
}
