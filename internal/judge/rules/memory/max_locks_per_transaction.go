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
	Title:   "Lock table size: average locks per connection",
	Why: "The lock table is shared: it has room for this many locks × max_connections. A transaction that touches " +
		"more tables, indexes and partitions uses the room of others. When it is full, a statement fails with \"out " +
		"of shared memory\". Each entry takes a few hundred bytes of shared memory.",
	Formula: "1c: 256 if it is lower; otherwise unchanged. Never lowered: a standby needs at least the value of its " +
		"primary.",
	Sources: []string{"pg-config", "postgrespro-1c", "its-1c"},
	Decide: func(c *rule.Case) {
		if c.Options.Profile != rule.OneC {
			return
		}
		if c.Now() >= oneCLocks {
			c.Keep("{present} is enough", "present", c.Shown())
			return
		}
		c.WarnStandbys(oneCLocks)
		c.Set(oneCLocks, "a 1C document locks hundreds of tables and indexes; {present} is too low",
			"present", c.Shown())
	},
}
