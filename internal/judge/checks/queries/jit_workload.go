package queries

import "github.com/pgfettle/pgfettle/internal/judge/check"

// jitDefault is jit_above_cost as every version ships it.
const jitDefault = 100000

// JitWorkload does not judge jit = on with the default costs: whether that pays depends on the
// queries.
var JitWorkload = check.Check{
	ID:       "jit_workload",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "JIT compiles cheap queries",
	Why: "JIT compilation takes tens to hundreds of milliseconds, and each backend repeats it at every " +
		"execution. It pays off for queries that run for seconds. With jit_above_cost below its default of " +
		"100000, JIT also compiles queries that would finish sooner without it.",
	Do: "Remove the line from postgresql.conf, or run: ALTER SYSTEM RESET jit_above_cost;\nThen reload: SELECT " +
		"pg_reload_conf();\nFor a workload of short transactions, turn JIT off: ALTER SYSTEM SET jit = off;\nFor " +
		"reports, leave it on for their role: ALTER ROLE ROLE_NAME SET jit = on;",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET jit_above_cost;"),
		check.SQL("SELECT pg_reload_conf();"),
		check.SQL("ALTER SYSTEM SET jit = off;"),
	},
	Sources: []string{"pg-config-query"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if on, _ := set.Bool("jit"); !on {
			return
		}
		if at, ok := set.Float("jit_above_cost"); ok && at >= 0 && at < jitDefault {
			c.Found("jit = on, jit_above_cost = {at}.", "at", at)
		}
	},
}
