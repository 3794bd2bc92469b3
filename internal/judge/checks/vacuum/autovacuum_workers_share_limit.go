package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// AutovacuumWorkersShareLimit ignores tables with their own limit: those do not share.
var AutovacuumWorkersShareLimit = check.Check{
	ID:        "autovacuum_workers_share_limit",
	Area:      check.Vacuum,
	Severity:  check.Notice,
	Scope:     check.PerInstance,
	Title:     "More autovacuum workers, same cost limit",
	DependsOn: []string{"autovacuum_off", "track_counts_off"},
	Why: "All autovacuum workers share one cost limit. More workers without a higher limit do not vacuum faster: " +
		"each one is slowed down until the sum is the same. Each large table then takes longer than before.",
	Do: "1. Raise the limit with the number of workers: at least 200 per 3 workers, at least 1000 on SSDs " +
		"(reload): ALTER SYSTEM SET autovacuum_vacuum_cost_limit = 1000; SELECT pg_reload_conf();\n" +
		"2. Or return to 3 workers: autovacuum_max_workers = 3 (restart; in PostgreSQL 18 and later, reload).",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET autovacuum_vacuum_cost_limit = 1000;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-autovacuum", "its-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		workers, ok := set.Int("autovacuum_max_workers")
		limit, ok2 := set.Int("autovacuum_vacuum_cost_limit")
		if ok2 && limit < 0 {
			limit, ok2 = set.Int("vacuum_cost_limit")
		}
		delay, ok3 := set.Float("autovacuum_vacuum_cost_delay")
		if !ok || !ok2 || !ok3 || delay == 0 || workers < limits.AutovacuumWorkersMany {
			return
		}
		if each := limit / workers; each < limits.AutovacuumShareLeast {
			c.Found(
				"{workers} workers share a cost limit of {limit}: {each} per worker if all are active (default: 66).",
				"workers", workers, "limit", limit, "each", each)
		}
	},
}
