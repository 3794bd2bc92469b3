package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var WalRecycle = rule.Rule{
	Address: knob.PG("wal_recycle"),
	Title:   "whether WAL files that are no longer needed are renamed for later use",
	Why: "On a file system that overwrites in place an old file saves the creation and allocation of a new one. A " +
		"copy-on-write file system allocates anew in any case, " +
		"and before it can change part of a block of the old file it has to read it back, long after it has left " +
		"the cache; a new file costs it less.",
	Formula: "off where the WAL lies on ZFS or on btrfs that copies on write (mounted without nodatacow); else as " +
		"it is. A folder that chattr +C exempts from copying cannot be told from here: pin on for it.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *rule.Case) {
		c.OffOnCopyOnWrite("a new file costs less than changing an old one, parts of which have to be read first")
	},
}
