package queries

import (
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
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
	Title:    "Planner methods disabled server-wide (enable_*)",
	Why: "The enable_* settings are meant to test a plan in one session. The planner still uses most disabled " +
		"methods if nothing else is possible; in 17 and earlier, a large penalty then distorts its estimates. " +
		"Queries that fetch a few rows through an index, which are the majority in most applications, need the " +
		"nested loop, the method that is disabled most often.",
	Do: "Remove the named settings from postgresql.conf, or run ALTER SYSTEM RESET for each of them; then " +
		"reload. If one query needs a setting, use SET LOCAL in its transaction, or ALTER ROLE … SET for one " +
		"role. Look for the missing statistics behind the bad plan: ANALYZE, CREATE STATISTICS, ALTER TABLE … " +
		"ALTER COLUMN … SET STATISTICS.",
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
		for i, name := range off {
			if basicMethods[name] {
				sev = check.Warning
			}
			off[i] += " = off"
		}
		c.FoundAs(sev, "{names} for the whole server.", "names", say.Names(off, 6))
	},
}
