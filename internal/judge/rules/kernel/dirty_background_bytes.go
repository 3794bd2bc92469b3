package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DirtyBackgroundBytes = rule.Rule{
	Address: knob.Sysctl("vm.dirty_background_bytes"),
	Title:   "Dirty memory that starts background writeback",
	Why: "PostgreSQL limits its own dirty pages (checkpoint_flush_after and similar settings), but dumps, archiving, " +
		"temporary files and other programs do not. The default, 10% of free memory and page cache, is gigabytes on " +
		"a large host. When writeback starts, or an fsync waits for these pages, all sessions wait.",
	Formula: "If the ratio allows more than 1 GB of dirty memory: 256 MB on nvme and san, 128 MB on ssd, otherwise " +
		"64 MB. Values from 16 MB to 512 MB stay. Not planned if all directories of the instances are on ZFS, which " +
		"bypasses the page cache.",
	Sources: []string{"linux-vm", "linux-writeback", "tuned-postgresql", "dalibo-j1"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Unit:    "bytes",
	Decide: func(c *rule.Case) {
		dirty(c, "vm.dirty_background_ratio", func(l dirtyLimits) unit.Bytes { return l.background }, 16*unit.MB,
			512*unit.MB)
	},
}
