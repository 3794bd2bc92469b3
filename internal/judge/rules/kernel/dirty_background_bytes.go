package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DirtyBackgroundBytes = rule.Rule{
	Address: knob.Sysctl("vm.dirty_background_bytes"),
	Title:   "how much written data waits in memory before the kernel begins to write it out",
	Why: "PostgreSQL asks for its own writeback (checkpoint_flush_after and its kin), but dumps, archives, " +
		"temporary files and other programs do not. " +
		"The default of a tenth of free memory and file cache is gigabytes on a large host, and when the kernel " +
		"begins, or an fsync asks for all of it, everybody waits.",
	Formula: "256 MB on NVMe and SAN, 128 MB on SSD, 64 MB on hard disks and where that is not known, when the " +
		"ratio would let more than 1 GB wait; 16 MB to 512 MB stays. Not where all places of the instances are on " +
		"ZFS, which does not write through the page cache.",
	Sources: []string{"linux-vm", "linux-writeback", "tuned-postgresql", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Unit:    "bytes",
	Decide: func(c *rule.Case) {
		dirty(c, "vm.dirty_background_ratio", func(l dirtyLimits) unit.Bytes { return l.background }, 16*unit.MB,
			512*unit.MB)
	},
}
