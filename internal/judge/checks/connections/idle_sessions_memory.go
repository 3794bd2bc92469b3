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
	Title:    "Idle sessions hold a good part of the memory",
	Why: "A session keeps the catalog caches of all tables that it has ever touched, its prepared plans and what " +
		"its allocator does not give back, until it ends. Hundreds of connections that a pool " +
		"keeps open for a peak that never comes hold memory that the page cache could have, and none of it can be " +
		"reclaimed but to swap.",
	Do: "Bring the pools down to what works at the same time, a few times the number of processors in all, and let " +
		"them close what has been idle for some minutes (idle_session_timeout from 14 " +
		"on for what has no pool). Many application servers with pools of their own want a pooler such as PgBouncer " +
		"before the server.",
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
				"{idle} sessions are idle and {active} at work. A backend has {each} of its own on average: {sum} "+
					"for those that are idle, {part} of {total}.",
				"idle", idle, "active", active, "each", each, "sum", sum, "part", check.PercentOf(sum, total),
				"total", total)
		}
	},
}
