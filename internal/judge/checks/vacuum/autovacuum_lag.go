package vacuum

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// lagTimes is a multiple of the threshold: at twice the threshold, autovacuum has been
	// due for half of the dead rows.
	lagTimes = 2
	// lagSince: in an hour, autovacuum has had sixty rounds (autovacuum_naptime) in
	// which the table was, or became, due.
	lagSince = 3600
)

// AutovacuumLag skips a table that is being vacuumed, and one that was
// vacuumed, or a server that was started, within the last hour. A large change a
// minute ago looks the same as a table that has waited long, so it is a notice.
var AutovacuumLag = check.Check{
	ID:       "autovacuum_lag",
	Area:     check.Vacuum,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Autovacuum is falling behind",
	Why: "A table that waits beyond its autovacuum threshold bloats, and its scans read dead rows. The cause is a " +
		"low pace (all workers share the cost limit and delay), workers busy with other large tables, or lock " +
		"conflicts that repeatedly cancel autovacuum.",
	Do: "1. Vacuum the tables named: VACUUM (VERBOSE, ANALYZE) SCHEMA_NAME.TABLE_NAME;\n" +
		"2. Raise the pace of autovacuum (reload): ALTER SYSTEM SET autovacuum_vacuum_cost_limit = 2000; SELECT " +
		"pg_reload_conf();\n" +
		"3. Watch its workers: SELECT * FROM pg_stat_progress_vacuum; In 19 and later, pg_stat_autovacuum_scores " +
		"shows which table is next: the one with the highest score.\n" +
		"4. For details, set log_autovacuum_min_duration = 0 for a day (reload).",
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
		for _, t := range byScore(tables) {
			due, ok := vacuumDue(set, t)
			if !ok || t.AutovacuumOff || t.Vacuuming || !large(t) || float64(t.Dead) < lagTimes*due ||
				c.Now()-t.LastVacuum < lagSince {
				continue
			}
			last := say.M("never vacuumed")
			if t.LastVacuum > 0 {
				last = say.M("last vacuumed {span} ago", "span", say.Span(float64(c.Now()-t.LastVacuum)))
			}
			if t.Scores != nil {
				last = say.M("{last}, score: {score}", "last", last, "score",
					strconv.FormatFloat(t.Scores.Score, 'f', 1, 64))
			}
			found.Add(c, t.In, "{table} (dead rows: {dead}, live rows: {live}, threshold: {due}, {last})", "table",
				t.Schema+"."+t.Name, "dead", check.Count(t.Dead), "live", check.Count(t.Live), "due",
				check.Count(int64(due)), "last", last)
		}
		if found.Any() {
			c.Found("{tables}.", "tables", found.List("; "))
		}
	},
}

// byScore orders tables as autovacuum of 19 and later takes them, the highest score first; those without one come last,
// in the order that they had.
func byScore(tables []pg.Table) []pg.Table {
	score := func(t pg.Table) float64 {
		if t.Scores == nil {
			return 0
		}
		return t.Scores.Score
	}
	out := slices.Clone(tables)
	slices.SortStableFunc(out, func(a, b pg.Table) int { return cmp.Compare(score(b), score(a)) })
	return out
}
