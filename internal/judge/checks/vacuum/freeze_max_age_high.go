package vacuum

import "github.com/pgfettle/pgfettle/internal/judge/check"

// wrapAt is the age at which transaction IDs wrap around, 2^31; lateFreeze is half of
// it: as many transactions are left for freezing as passed before it began.
const (
	wrapAt     = int64(1) << 31
	lateFreeze = 1_000_000_000
)

// FreezeMaxAgeHigh checks multixacts too: they wrap around at the same age.
var FreezeMaxAgeHigh = check.Check{
	ID:       "freeze_max_age_high",
	Area:     check.Vacuum,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Freeze limit too high (autovacuum_*freeze_max_age)",
	Why: "At autovacuum_freeze_max_age (for multixacts, autovacuum_multixact_freeze_max_age), autovacuum freezes a " +
		"table even if nothing else requires it. A higher limit leaves less time for that work before the server " +
		"refuses writes, at 2.1 billion, and the largest tables come last. pg_xact grows by 250 MB per billion " +
		"transactions, and pg_commit_ts, if it is kept, by 10 GB.",
	Do: "1. First freeze the oldest tables at a quiet time, otherwise autovacuum starts with all of them at once: " +
		"VACUUM (FREEZE) SCHEMA_NAME.TABLE_NAME;\n" +
		"2. Set the limit to at most 800 million (restart). The defaults are 200 million for " +
		"autovacuum_freeze_max_age and 400 million for autovacuum_multixact_freeze_max_age.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		for _, name := range []string{"autovacuum_freeze_max_age", "autovacuum_multixact_freeze_max_age"} {
			if n, ok := set.Int(name); ok && n > lateFreeze {
				c.Found("{name} = {n}: {left} are left before the server refuses writes.", "name", name, "n",
					check.Count(n), "left", check.Count(wrapAt-n))
			}
		}
	},
}
