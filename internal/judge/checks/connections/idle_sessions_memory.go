package connections

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// idleMany: below a hundred, pools of a few application servers.
	idleMany = 100
	// idleToActive: a pool that is five times what is at work at its busiest waits
	// for nothing.
	idleToActive = 5
	// idleMemory in percent of the memory is what would make a visible difference
	// as page cache.
	idleMemory = 10
)

// IdleSessionsMemory takes the private memory of all backends on average, as
// which of them is idle cannot be seen from outside.
var IdleSessionsMemory = check.Check{
	ID:       "idle_sessions_memory",
	Area:     check.Connections,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Idle sessions hold much memory",
	Why: "Until it ends, a session keeps the catalog caches of all tables that it has used, its prepared " +
		"plans, and memory that its allocator does not return. A pool with hundreds of connections for a peak " +
		"that does not occur holds memory that the page cache could use. The kernel can reclaim it only by " +
		"swapping.",
	Do: "Reduce the pools to the number of sessions that are active at the same time, in total a few times the " +
		"number of CPUs. Let pools close connections that were idle for some minutes. In 14 and later, " +
		"idle_session_timeout does this for clients without a pool. If many application servers have their own " +
		"pools, use a connection pooler such as PgBouncer.",
	Sources: []string{"pg-config-connection", "pg-config-client", "dalibo-j1"},
	Judge: func(c *check.Case) {
		a, ok := check.Need(c, c.Instance.Server.Activity)
		if !ok {
			return
		}
		idle, active := a.States["idle"].Count, a.States["active"].Count
		if idle < idleMany || idle < idleToActive*active {
			return
		}
		procs, ok := check.Need(c, c.Instance.Processes)
		if !ok {
			return
		}
		limit, _ := c.Snapshot.MemoryLimit(c.Instance)
		total, ok := check.Need(c, limit)
		if !ok {
			return
		}
		var n, anon unit.Bytes
		for _, p := range procs {
			if p.Kind == "backend" {
				n++
				anon += p.Anon
			}
		}
		if n == 0 {
			return
		}
		each := anon / n
		if sum := each.Scale(float64(idle)); check.AtLeast(sum, idleMemory, total) {
			c.Found(
				"Idle sessions: {idle}; active: {active}. Private memory: {each} per backend on average, {sum} for "+
					"the idle sessions ({part} of {total}).",
				"idle", idle, "active", active, "each", each, "sum", sum, "part", check.PercentOf(sum, total),
				"total", total)
		}
	},
}
