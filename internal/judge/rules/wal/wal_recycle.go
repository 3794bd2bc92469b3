package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var WalRecycle = rule.Rule{
	Address: knob.PG("wal_recycle"),
	Title:   "Recycle WAL files",
	Why: "On filesystems that overwrite in place, an old file saves the creation and allocation of a new one. A " +
		"copy-on-write filesystem allocates new blocks anyway, and to change part of an old block it must first read " +
		"it from disk. A new file costs less there.",
	Formula: "off if WAL is on ZFS, or on btrfs with copy on write (mounted without nodatacow); otherwise unchanged. " +
		"A directory with chattr +C is not detected: pin on for it.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *rule.Case) {
		c.OffOnCopyOnWrite("a new file costs less than changing parts of an old one, which must be read first")
	},
}
