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
	Title:    "Cheap queries are compiled",
	Why: "Compiling a query takes tens to hundreds of milliseconds in each backend that runs it, for every " +
		"execution anew. It pays for queries " +
		"that run for seconds. With jit_above_cost below its default it happens to queries that would have been " +
		"done sooner.",
	Do: "ALTER SYSTEM RESET jit_above_cost; SELECT pg_reload_conf();. For short transactions ALTER SYSTEM SET jit = " +
		"off; for reports leave it on " +
		"for their role: ALTER ROLE … SET jit = on.",
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
			c.Found("jit = on with jit_above_cost = {at}.", "at", at)
		}
	},
}
