package vacuum

import (
	"sort"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// IDs are 32 bits wide and compared in a circle, so the oldest one in use must be
// less than half the circle behind. The server stops assigning new ones 3 million
// before that (1 million in 13).
const xidStop = 1<<31 - 3_000_000

const (
	// wraparoundLate: autovacuum starts its forced vacuums at
	// autovacuum_freeze_max_age, so ages a little above are normal. 100 million
	// more is what 5,000 writing transactions per second use up in five and a half
	// hours: longer than an unobstructed vacuum should take.
	wraparoundLate = 100_000_000
	// wraparoundDanger leaves, at 10,000 transactions per second, 26 hours until the
	// stop: about the time of a vacuum of several terabytes. It is below the
	// 1.6 billion of vacuum_failsafe_age, above which VACUUM ignores its cost limits.
	wraparoundDanger = 1_200_000_000
)

// Wraparound looks at both transaction IDs and multixact IDs: either can
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
			text say.Message
		}
		var list []late
		worst := check.Warning
		judge := func(text say.Template, db string, age int64, setting string) {
			limit, ok := set.Int(setting)
			if !ok || age <= limit+wraparoundLate {
				return
			}
			sev := check.Warning
			// A limit above the danger line was raised on purpose; being late as well
			// was not.
			if age > max(wraparoundDanger, limit+2*wraparoundLate) {
				sev = check.Critical
			}
			worst = max(worst, sev)
			list = append(list, late{age, say.M(text, "database", db, "age", check.Count(age), "percent",
				check.PercentOf(unit.Bytes(age), xidStop), "setting", setting, "limit", check.Count(limit))})
		}
		for _, db := range dbs {
			judge("database {database}: oldest transaction ID has age {age}, {percent} of the wraparound limit "+
				"({setting} = {limit})", db.Name, db.XIDAge, "autovacuum_freeze_max_age")
			judge("database {database}: oldest multixact ID has age {age}, {percent} of the wraparound limit "+
				"({setting} = {limit})", db.Name, db.MXIDAge, "autovacuum_multixact_freeze_max_age")
		}
		if len(list) == 0 {
			return
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].age > list[j].age })
		told := say.List{Sep: "; ", Most: 3}
		for _, l := range list {
			told.Items = append(told.Items, l.text)
		}
		c.FoundAs(worst, "{databases}.", "databases", told)
	},
}
