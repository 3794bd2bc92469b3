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
	Formula: "1c: 256 (since 19: 512, because 19 counts locks differently and doubled the default) if it is lower; " +
		"otherwise unchanged. Never lowered: a standby needs at least the value of its primary.",
	Sources: []string{"pg-config", "postgrespro-1c", "its-1c"},
	Decide: func(c *rule.Case) {
		if c.Options.Profile != rule.OneC {
			return
		}
		want := oneCLocks
		if v, ok := c.Instance.Server.Version.Get(); ok && v.Major() >= 19 {
			want *= 2 // 19 counts without the reserve that the tables had before
		}
		if c.Now() >= float64(want) {
			c.Keep("{present} is enough", "present", c.Shown())
			return
		}
		c.WarnStandbys(want)
		c.Set(want, "a 1C document locks hundreds of tables and indexes; {present} is too low",
			"present", c.Shown())
	},
}
