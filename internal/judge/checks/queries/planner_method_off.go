package queries

import (
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// basicMethods are those without which ordinary queries get bad plans; without
// one of the others a query is slower at most.
var basicMethods = map[string]bool{
	"enable_nestloop": true, "enable_hashjoin": true, "enable_mergejoin": true, "enable_seqscan": true,
	"enable_indexscan":     true,
	"enable_indexonlyscan": true, "enable_bitmapscan": true, "enable_sort": true, "enable_hashagg": true,
	"enable_partition_pruning": true,
}

// PlannerMethodOff goes by the built-in default: the partition-wise methods are off in every version,
// and that they are is no fault.
var PlannerMethodOff = check.Check{
	ID:       "planner_method_off",
	Area:     check.Query,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Planner methods are switched off for everybody",
	Why: "The enable_ parameters are for finding out why a plan was chosen, in one session. Switched off for all, a " +
		"method does not vanish: the " +
		"planner adds a penalty to it and takes it where nothing else is possible, with estimates that are wrong " +
		"from then on. Look-ups of a few " +
		"rows through an index, which is what most applications do, need exactly the nested loop that is most often " +
		"switched off.",
	Do: "ALTER SYSTEM RESET the named parameters, or delete their lines, and reload. Where one query needs it, use " +
		"SET LOCAL in its transaction " +
		"or ALTER ROLE … SET for the one role, and look for the missing statistics behind it: ANALYZE, CREATE " +
		"STATISTICS, ALTER TABLE … ALTER " +
		"COLUMN … SET STATISTICS.",
	Sources: []string{"pg-config-query", "postgrespro-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var off []string
		for name, s := range set {
			if strings.HasPrefix(name, "enable_") && s.Value == "off" && s.Boot == "on" {
				off = append(off, name)
			}
		}
		if len(off) == 0 {
			return
		}
		sort.Strings(off)
		sev := check.Notice
		for _, name := range off {
			if basicMethods[name] {
				sev = check.Warning
			}
		}
		c.FoundAs(sev, "Off: {names}.", "names", check.Join(off, ", ", 6))
	},
}
