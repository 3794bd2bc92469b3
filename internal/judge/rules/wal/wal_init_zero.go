package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var WalInitZero = rule.Rule{
	Address: knob.PG("wal_init_zero"),
	Title:   "whether a new WAL file is filled with zeros before it is used",
	Why: "On a file system that overwrites in place the zeros make sure that the blocks are there, so that a later " +
		"commit only writes data and does not allocate. " +
		"A copy-on-write file system puts what is written later somewhere else: the zeros are written for nothing.",
	Formula: "off where the WAL lies on ZFS or on btrfs that copies on write (mounted without nodatacow); else as " +
		"it is. A folder that chattr +C exempts from copying cannot be told from here: pin on for it.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *rule.Case) {
		c.OffOnCopyOnWrite("the zeros would be written for nothing")
	},
}
