package queries

import (
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// GeqoBeforeCollapse compares with the larger limit: explicit joins and lists of
// tables have one each. It reports a threshold that was lowered, or excessive limits.
var GeqoBeforeCollapse = check.Check{
	ID:       "geqo_before_collapse",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "geqo_threshold does not exceed the collapse limits",
	Why: "For geqo_threshold or more tables, the genetic query optimizer (GEQO) searches join orders at random " +
		"instead of trying all of them. For fewer than 12 tables, trying all orders takes milliseconds. Values of " +
		"join_collapse_limit and from_collapse_limit above 20 give GEQO lists in which it finds good orders only by " +
		"luck. The plan can then change whenever statistics change.",
	Do: "Keep geqo_threshold = 12 and the collapse limits at 8 to 12 (at 20 for 1C). Remove geqo_threshold from " +
		"postgresql.conf, or run: ALTER SYSTEM RESET geqo_threshold;\nThen reload: SELECT pg_reload_conf();\nIf a " +
		"plan must never depend on GEQO, set the collapse limits below geqo_threshold.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET geqo_threshold;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-query", "its-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if on, _ := set.Bool("geqo"); !on {
			return
		}
		at, ok := set.Int("geqo_threshold")
		from, _ := set.Int("from_collapse_limit")
		join, _ := set.Int("join_collapse_limit")
		// What the plan for 1C leads to, and a DBA who raised a limit with the default threshold, is
		// right: all orders of up to 12 tables are tried, and longer lists, which would follow the
		// written order otherwise, go to the random search by intent.
		if limit := max(from, join); ok && at <= limit && (at < limits.GeqoUsual || limit > limits.CollapseMost) {
			sev := check.Notice
			if at >= limits.GeqoUsual {
				// such a high limit is intended, and GEQO bounds the planning time: a plan keeps it
				sev = check.Info
			}
			c.FoundAs(sev, "geqo_threshold = {at}, from_collapse_limit = {from}, join_collapse_limit = {join}.",
				"at", at, "from", from, "join", join)
		}
	},
}
