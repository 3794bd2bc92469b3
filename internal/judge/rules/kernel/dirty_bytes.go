package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DirtyBytes = rule.Rule{
	Address: knob.Sysctl("vm.dirty_bytes"),
	Title:   "how much written data may wait in memory before who writes has to write it out himself",
	Why: "At this limit a process that writes is held back until the disk has caught up. The default of a fifth of " +
		"free memory and file cache is many gigabytes on a large host: " +
		"a disk needs minutes for that, and the fsync of a checkpoint or of a commit waits behind it. Lower values " +
		"make VACUUM and REINDEX write more evenly and a little longer.",
	Formula: "1 GB on NVMe and SAN, 512 MB on SSD, hard disks and where that is not known, when the ratio would let " +
		"more than 2 GB wait; 256 MB to 2 GB stays. Not where all places of the instances are on ZFS, which does " +
		"not write through the page cache.",
	Sources: []string{"linux-vm", "linux-writeback", "tuned-postgresql", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Unit:    "bytes",
	Decide: func(c *rule.Case) {
		dirty(c, "vm.dirty_ratio", func(l dirtyLimits) unit.Bytes { return l.hard }, 256*unit.MB, 2*unit.GB)
	},
}
