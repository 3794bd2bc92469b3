package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var WalInitZero = rule.Rule{
	Address: knob.PG("wal_init_zero"),
	Title:   "Zero-fill new WAL files",
	Why: "On filesystems that overwrite in place, zero-filling allocates the blocks in advance, so later commits " +
		"only write data. A copy-on-write filesystem writes every change to a new place: zero-filling has no benefit " +
		"there.",
	Formula: "off if WAL is on ZFS, or on btrfs with copy on write (mounted without nodatacow); otherwise unchanged. " +
		"A directory with chattr +C is not detected: pin on for it.",
	Sources: []string{"pg-config-wal"},
	Decide: func(c *rule.Case) {
		c.OffOnCopyOnWrite("zero-filling has no benefit there")
	},
}
