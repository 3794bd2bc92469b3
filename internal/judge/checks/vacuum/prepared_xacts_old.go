package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// preparedOld: a transaction manager commits or rolls back seconds after PREPARE
// TRANSACTION; one that was down for an hour has lost the transaction, and an
// administrator must decide.
const preparedOld = 60 * 60

// PreparedXactsOld needs no second threshold: an orphan does not go away
// automatically, not even at a restart.
var PreparedXactsOld = check.Check{
	ID:       "prepared_xacts_old",
	Area:     check.Vacuum,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Orphaned prepared transactions",
	Why: "A prepared transaction belongs to no session. It keeps its locks and holds back VACUUM and freezing " +
		"until it is committed or rolled back, even across restarts and crashes. Forgotten ones cause bloat, " +
		"blocked schema changes and finally transaction ID wraparound.",
	Do: "1. List the prepared transactions: SELECT gid, prepared, owner, database FROM pg_prepared_xacts ORDER BY " +
		"prepared;\n2. Ask the transaction manager for the outcome of each gid.\n3. In its database, run COMMIT " +
		"PREPARED 'GID'; or ROLLBACK PREPARED 'GID';\n4. If nothing here uses two-phase commit, set " +
		"max_prepared_transactions = 0 (restart).",
	Commands: []check.Command{
		check.SQL("SELECT gid, prepared, owner, database FROM pg_prepared_xacts ORDER BY prepared;"),
	},
	Sources: []string{"pg-system-views", "pg-routine-vacuuming"},
	Judge: func(c *check.Case) {
		list, ok := check.Need(c, c.Instance.Server.Prepared)
		if !ok {
			return
		}
		n, oldest := 0, list[:0:0]
		for _, p := range list {
			if p.Age < preparedOld {
				continue
			}
			n++
			if len(oldest) == 0 || p.Age > oldest[0].Age {
				oldest = append(oldest[:0], p)
			}
		}
		if n > 0 {
			c.That(check.Warning, say.M(c.Remedy()), say.N(n,
				"{n} transaction prepared more than 1 h ago: {age} ago in database {database} (xid age {xids}).",
				"{n} transactions prepared more than 1 h ago, the oldest {age} ago in database {database} (xid age "+
					"{xids}).", "age", say.Span(oldest[0].Age), "database", oldest[0].Database, "xids",
				check.Count(oldest[0].XIDAge)))
		}
	},
}
