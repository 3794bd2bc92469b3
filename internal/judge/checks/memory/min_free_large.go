package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// minFreeShare: the kernel itself never asks for as much as one percent of a
// large memory; vendors' guides go to two. A twentieth is memory thrown away.
const minFreeShare = 5

// MinFreeLarge is a warning: processes are killed while memory is free.
var MinFreeLarge = check.Check{
	ID:       "min_free_large",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "The kernel holds much memory back",
	Why: "vm.min_free_kbytes is kept free for the kernel's own emergencies, and the marks at which it begins to " +
		"reclaim lie above it. Set to a large share, the page cache shrinks, reclaim never ends, and the OOM killer " +
		"comes while free shows memory to spare.",
	Do: "Remove vm.min_free_kbytes from the files of /etc/sysctl.d and boot, so that the kernel chooses; or " +
		"write at most 1 % of the memory.",
	Sources: []string{"linux-vm"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.min_free_kbytes"))
		if !ok {
			return
		}
		mem, ok := check.Need(c, c.Snapshot.Host.Memory)
		if !ok {
			return
		}
		if free := unit.Bytes(n) * unit.KB; check.AtLeast(free, minFreeShare, mem.Total) {
			c.Found("vm.min_free_kbytes keeps {free} of {total} free.", "free", free, "total", mem.Total)
		}
	},
}
