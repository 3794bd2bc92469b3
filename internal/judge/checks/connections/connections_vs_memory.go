package connections

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// ConnectionsVsMemory judges what the sessions have before the first sort, at
// the 5 MB that a plan reckons for each. Their page tables are left out, as huge
// pages take them away and other checks tell them; so is work_mem, which no
// value mends while this stands. Within a control group
// cgroup_limit_below_plan judges.
var ConnectionsVsMemory = check.Check{
	ID:        "connections_vs_memory",
	Area:      check.Connections,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "More connections are allowed than the memory holds",
	DependsOn: []string{"shared_buffers_vs_memory", "temp_buffers_vs_memory"},
	Why: "Each session is a process. When it has run ordinary queries it keeps 5 MB and more for its catalog caches " +
		"and plans until it ends, without any sort or hash. A peak or a hanging application that opens " +
		"all the connections that max_connections allows drives such a host into swap, or the OOM killer ends a " +
		"backend and with it every session. No work_mem is small enough to mend that.",
	Do: "Put a connection pooler in transaction mode (PgBouncer) before the server and lower max_connections " +
		"(restart; a standby must not have fewer than its primary), or give the host more memory.",
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
		// Where the base of the connections is no good part of the memory, it is the
		// shared memory or the machine that is not right, and fewer would not help.
		if sum <= total || !check.AtLeast(unit.Bytes(m.Connections)*memory.BackendBase, check.WorkShare, total) {
			return
		}
		room := (total - memory.ReserveOf(total) - p.Shared - p.Maintenance) / memory.BackendBase
		fit := int(room) - m.Processes
		seen := say.Template("max_connections = {n}: with {each} for each of {procs} processes they take {backends}; " +
			"with {shared} of shared memory that is {sum} of {total}, before any sort or hash.")
		pairs := []any{"n", m.Connections, "each", unit.Bytes(memory.BackendBase), "procs", m.Connections + m.Processes,
			"backends", p.Backends,
			"shared", p.Shared, "sum", sum, "total", total, "fit", fit}
		if fit <= 0 {
			c.Found(seen, pairs...)
			return
		}
		c.FoundDo(check.Warning,
			"Put a connection pooler in transaction mode (PgBouncer) before the server and lower max_connections "+
				"(restart; a standby must not have fewer than its primary), "+
				"or give the host more memory. There is room for about {fit}.", seen, pairs...)
	},
}
