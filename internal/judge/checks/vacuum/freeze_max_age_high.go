package vacuum

import "github.com/pgfettle/pgfettle/internal/judge/check"

// wrapAt is where ages of transactions wrap around, 2^31; lateFreeze is half of
// it: as much room for the freezing as was let pass before it began.
const (
	wrapAt     = int64(1) << 31
	lateFreeze = 1_000_000_000
)

// FreezeMaxAgeHigh counts multixacts too: they wrap around at the same number.
var FreezeMaxAgeHigh = check.Check{
	ID:       "freeze_max_age_high",
	Area:     check.Vacuum,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Autovacuum begins to freeze very late",
	Why: "At autovacuum_freeze_max_age transactions autovacuum freezes a table even where nothing else asks for it. " +
		"The higher it is the less " +
		"room is left for that work before the server stops taking writes, at 2.1 billion, and the largest tables " +
		"come last. pg_xact grows with " +
		"it, 250 MB for each billion, and pg_commit_ts, where it is kept, 10 GB.",
	Do: "Set autovacuum_freeze_max_age to 200 million (the default) to 800 million and restart; before, let VACUUM " +
		"(FREEZE) run over the oldest " +
		"tables at a quiet time, or autovacuum will begin with all of them at once.",
	Sources: []string{"pg-config-autovacuum", "pg-routine-vacuuming"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		for _, name := range []string{"autovacuum_freeze_max_age", "autovacuum_multixact_freeze_max_age"} {
			if n, ok := set.Int(name); ok && n > lateFreeze {
				c.Found("{name} = {n}: {left} before the server stops taking writes.", "name", name, "n",
					check.Count(n), "left", check.Count(wrapAt-n))
			}
		}
	},
}
