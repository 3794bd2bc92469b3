package queries

import (
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// GeqoBeforeCollapse compares with the larger limit: explicit joins and lists of
// tables have one each. It is about a threshold that somebody lowered, or limits
// beyond reason.
var GeqoBeforeCollapse = check.Check{
	ID:       "geqo_before_collapse",
	Area:     check.Query,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The genetic search comes before the collapse limit",
	Why: "From geqo_threshold tables on the planner searches the order of joins at random instead of trying all. " +
		"Below 12 tables all orders are tried in " +
		"milliseconds, and collapse limits above 20 hand it lists in which it finds good orders by luck: the plan " +
		"may change from one day to the next.",
	Do: "Leave geqo_threshold at 12, and the collapse limits at 8 to 12, at 20 for 1C: ALTER SYSTEM RESET " +
		"geqo_threshold; SELECT pg_reload_conf();. " +
		"Who must have the same plan each day sets the limits below geqo_threshold.",
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
				// whoever raised a limit so far wanted it, and the search bounds what it costs: a plan leaves it
				sev = check.Info
			}
			c.FoundAs(sev, "geqo_threshold = {at} with from_collapse_limit = {from} and join_collapse_limit = {join}.",
				"at", at, "from", from, "join", join)
		}
	},
}
