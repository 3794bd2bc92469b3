package queries

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// JoinOrderFixed asks for 1 only: the parameter means nothing below it, and from 2 on the planner
// chooses among some orders.
var JoinOrderFixed = check.Check{
	ID:       "join_order_fixed",
	Area:     check.Query,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "The planner may not choose the order of joins",
	Why: "With a collapse limit of 1 tables are joined in the order in which the query was written. That is right " +
		"where somebody wrote every " +
		"query in the best order for the data of today, and wrong for queries that a framework or 1C made: the " +
		"first join may be the largest.",
	Do: "ALTER SYSTEM RESET join_collapse_limit; ALTER SYSTEM RESET from_collapse_limit; SELECT pg_reload_conf(); " +
		"and where planning time of one " +
		"query matters, SET LOCAL join_collapse_limit = 1 in its transaction.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET join_collapse_limit;"),
		check.SQL("ALTER SYSTEM RESET from_collapse_limit;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-query", "its-1c", "postgrespro-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var fixed []string
		for _, name := range []string{"join_collapse_limit", "from_collapse_limit"} {
			if n, ok := set.Int(name); ok && n <= 1 {
				fixed = append(fixed, name)
			}
		}
		if len(fixed) > 0 {
			c.Found("{names} = 1 for the whole server.", "names", strings.Join(fixed, " = 1 and "))
		}
	},
}
