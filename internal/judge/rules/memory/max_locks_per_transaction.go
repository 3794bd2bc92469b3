package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// oneCLocks is what 1C's vendors give at least; a lock of an ordinary table and
// of each of its indexes is one entry, and 1C's documents touch hundreds.
const oneCLocks = 256

var MaxLocksPerTransaction = rule.Rule{
	Address: knob.PG("max_locks_per_transaction"),
	Title:   "how many locked tables the lock table has room for, per connection",
	Why: "The room is shared: this number times the connections. A transaction that touches more tables, indexes " +
		"and partitions takes others' room, " +
		"until somebody gets «out of shared memory». Each entry is a few hundred bytes of shared memory.",
	Formula: "1c 256 where it is less; otherwise as it is. Never lowered: a standby needs as many as its primary.",
	Sources: []string{"pg-config", "postgrespro-1c", "its-1c"},
	Decide: func(c *rule.Case) {
		if c.Options.Profile != rule.OneC {
			return
		}
		if c.Now() >= oneCLocks {
			c.Keep("{present} for each connection are enough", "present", c.Shown())
			return
		}
		c.WarnStandbys(oneCLocks)
		c.Set(oneCLocks, "one 1C document locks hundreds of tables and indexes; {present} for each connection run out",
			"present", c.Shown())
	},
}
