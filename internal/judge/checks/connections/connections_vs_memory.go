package connections

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// ConnectionsVsMemory judges the memory of the sessions before the first sort, at the
// 5 MB that a plan assumes for each. It excludes page tables, which huge pages remove
// and other checks report, and work_mem, which no value corrects while this is found.
// Within a cgroup, cgroup_limit_below_plan judges.
var ConnectionsVsMemory = check.Check{
	ID:        "connections_vs_memory",
	Area:      check.Connections,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "max_connections is too high for this memory",
	DependsOn: []string{"shared_buffers_vs_memory", "temp_buffers_vs_memory"},
	Why: "Each session is a process. After ordinary queries it keeps at least 5 MB for catalog caches and " +
		"plans until it ends, without any sort or hash. If a load peak or a hanging application opens all " +
		"max_connections, the host swaps, or the OOM killer kills a backend and all sessions are lost. No " +
		"work_mem is small enough to prevent this.",
	Do: "Use a connection pooler in transaction mode (PgBouncer) and lower max_connections (restart; a standby " +
		"must not have fewer than its primary). Or add RAM.",
	Sources: []string{"pg-config-connection", "dalibo-j1", "pgfettle-measured"},
	Judge: func(c *check.Case) {
		limit, limited := c.Snapshot.MemoryLimit(c.Instance)
		total, ok := check.Need(c, limit)
		if !ok || limited {
			return
		}
		m, ok := c.AtPeak(c.Instance)
		if !ok {
			return
		}
		p := m.Parts()
		sum := p.Shared + p.Backends
		// If the base memory of the connections is a small part, the cause is the shared
		// memory or the host, and fewer connections would not help.
		if sum <= total || !check.AtLeast(unit.Bytes(m.Connections)*memory.BackendBase, check.WorkShare, total) {
			return
		}
		room := (total - memory.ReserveOf(total) - p.Shared - p.Maintenance) / memory.BackendBase
		fit := int(room) - m.Processes
		do := say.M(c.Remedy())
		if fit > 0 {
			do = say.All(" ", do, say.M("Connections that fit in memory: about {fit}.", "fit", fit))
		}
		c.That(check.Warning, do, say.M("max_connections = {n}: {procs} processes × {each} = {backends}, plus "+
			"{shared} of shared memory = {sum}; RAM: {total}. Sorts and hashes are not included.",
			"n", strconv.Itoa(m.Connections), "each", unit.Bytes(memory.BackendBase),
			"procs", m.Connections+m.Processes, "backends", p.Backends, "shared", p.Shared, "sum", sum, "total", total))
	},
}
