package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DirtyBytes = rule.Rule{
	Address: knob.Sysctl("vm.dirty_bytes"),
	Title:   "Dirty memory at which writers block",
	Why: "At this limit, processes that write are blocked until the disk catches up. The default, 20% of free memory " +
		"and page cache, is many gigabytes on a large host. A disk needs minutes to write that, and the fsync of a " +
		"checkpoint or commit waits for it. Lower values make VACUUM and REINDEX write more evenly and slightly " +
		"longer.",
	Formula: "If the ratio allows more than 2 GB of dirty memory: 1 GB on nvme and san, 512 MB on ssd, hdd and " +
		"storage of unknown type. Values from 256 MB to 2 GB stay. Not planned if all directories of the instances " +
		"are on ZFS, which bypasses the page cache.",
	Sources: []string{"linux-vm", "linux-writeback", "tuned-postgresql", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Unit:    "bytes",
	Decide: func(c *rule.Case) {
		dirty(c, "vm.dirty_ratio", func(l dirtyLimits) unit.Bytes { return l.hard }, 256*unit.MB, 2*unit.GB)
	},
}
