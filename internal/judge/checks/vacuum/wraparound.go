package vacuum

import (
	"fmt"
	"sort"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// The ids are 32 bits wide and compared in a circle, so the oldest one that is
// still needed must be less than half the circle behind. The server stops
// giving out new ones 3 million before that (1 million before 14).
const xidStop = 1<<31 - 3_000_000

const (
	// wraparoundLate: autovacuum starts its forced vacuums at
	// autovacuum_freeze_max_age, so ages a little above are normal. 100 million
	// more is what 5,000 writing transactions a second use up in five and a half
	// hours: longer than a vacuum that gets through should take.
	wraparoundLate = 100_000_000
	// wraparoundDanger leaves, at 10,000 transactions a second, 26 hours until the
	// stop: about what a vacuum of several terabytes takes. It lies below the
	// 1.6 billion where the server itself drops all its manners (vacuum_failsafe_age).
	wraparoundDanger = 1_200_000_000
)

// Wraparound looks at transaction ids and at multixact ids alike: either can
// stop the server.
var Wraparound = check.Check{
	ID:       "wraparound",
	Area:     check.Vacuum,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Transaction ID or multixact wraparound is approaching",
	Why: "Transaction and multixact IDs come from a circle of four billion, of which half can be in use. VACUUM " +
		"must freeze old rows before the circle closes. If an open or prepared transaction, a replication slot, " +
		"locks or a low pace prevent that, the server finally refuses all commands that write. Vacuuming under " +
		"that pressure takes hours or days.",
	Do: "1. Find what holds back the xmin horizon, and end it: age(backend_xmin) in pg_stat_activity, " +
		"pg_prepared_xacts, and xmin and catalog_xmin in pg_replication_slots.\n" +
		"2. In the database named here, vacuum the tables with the greatest age(relfrozenxid) in pg_class (for " +
		"multixacts, mxid_age(relminmxid)), as a superuser and not in single-user mode: VACUUM (FREEZE, VERBOSE, " +
		"INDEX_CLEANUP off) SCHEMA_NAME.TABLE_NAME;\n" +
		"3. Raise the pace of autovacuum: autovacuum_vacuum_cost_limit = 2000 (reload).",
	Sources: []string{"pg-routine-vacuuming", "pg-config-autovacuum"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		type late struct {
			age  int64
			text string
		}
		var list []late
		worst := check.Warning
		judge := func(db, what string, age int64, setting string) {
			limit, ok := set.Int(setting)
			if !ok || age <= limit+wraparoundLate {
				return
			}
			sev := check.Warning
			// Whoever raised the limit beyond the danger line did it knowingly; what
			// he cannot want is to be late as well.
			if age > max(wraparoundDanger, limit+2*wraparoundLate) {
				sev = check.Critical
			}
			worst = max(worst, sev)
			list = append(list,
				late{age, fmt.Sprintf("database %s: the oldest %s is %s old, %.0f %% of the way to the stop (%s = %s)",
					db, what, check.Count(age), 100*float64(age)/xidStop, setting, check.Count(limit))})
		}
		for _, db := range dbs {
			judge(db.Name, "transaction id", db.XIDAge, "autovacuum_freeze_max_age")
			judge(db.Name, "multixact id", db.MXIDAge, "autovacuum_multixact_freeze_max_age")
		}
		if len(list) == 0 {
			return
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].age > list[j].age })
		told := make([]string, len(list))
		for i, l := range list {
			told[i] = l.text
		}
		c.FoundAs(worst, "{databases}.", "databases", check.Join(told, "; ", 3))
	},
}
