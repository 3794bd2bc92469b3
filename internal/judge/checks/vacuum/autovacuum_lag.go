package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// lagTimes the number of dead rows at which autovacuum is due: at twice it, it
	// has been due for half of the rows that died since.
	lagTimes = 2
	// lagSince: after an hour autovacuum has been through sixty rounds
	// (autovacuum_naptime) in each of which the table was, or became, due.
	lagSince = 3600
)

// AutovacuumLag leaves out a table that a VACUUM is at, and one that was
// vacuumed, or a server that was started, within the hour. A large change a
// minute ago looks the same as a table that waits since long, so it is a notice.
var AutovacuumLag = check.Check{
	ID:       "autovacuum_lag",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Autovacuum does not get to tables that are due",
	Why: "A table that waits for autovacuum beyond its threshold grows by what could have been reused, and its " +
		"scans pass over dead rows. The cause is the pace (cost limit and delay, which " +
		"all workers share), workers that are bound to other large tables, or locks that make autovacuum give way " +
		"again and again.",
	Do: "Run VACUUM (VERBOSE, ANALYZE) schema.name; for the named ones. Then give autovacuum more pace: ALTER " +
		"SYSTEM SET autovacuum_vacuum_cost_limit = 2000; SELECT pg_reload_conf();, and see in " +
		"pg_stat_progress_vacuum what its workers are busy with. log_autovacuum_min_duration = 0 for a day tells more.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET autovacuum_vacuum_cost_limit = 2000;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources:   []string{"pg-routine-vacuuming", "pg-config-autovacuum", "dalibo-j1"},
	DependsOn: []string{"autovacuum_off", "track_counts_off"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		access, ok := check.Need(c, c.Instance.Server.Access)
		if !ok {
			return
		}
		tables, ok := check.InDatabases(c, "tables", c.Instance.Server.Deep.Tables)
		if !ok || c.Now()-access.StartedAt < lagSince {
			return
		}
		var found check.ByDatabase
		for _, t := range tables {
			due, ok := vacuumDue(set, t)
			if !ok || t.AutovacuumOff || t.Vacuuming || !large(t) || float64(t.Dead) < lagTimes*due ||
				c.Now()-t.LastVacuum < lagSince {
				continue
			}
			last := say.M("never vacuumed")
			if t.LastVacuum > 0 {
				last = say.M("vacuumed {span} ago", "span", say.Span(float64(c.Now()-t.LastVacuum)))
			}
			found.Add(c, t.In, "{table} ({dead} dead and {live} live rows, due at {due}, {last})", "table",
				t.Schema+"."+t.Name, "dead", check.Count(t.Dead), "live", check.Count(t.Live), "due",
				check.Count(int64(due)), "last", last)
		}
		if found.Any() {
			c.Found("{tables}.", "tables", found.List("; "))
		}
	},
}
