package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// minFreeShare, in percent: the kernel's own value is below 1% of a large RAM, and
// vendors' guides go to 2%.
const minFreeShare = 5

// MinFreeLarge is a warning: processes are killed while memory is free.
var MinFreeLarge = check.Check{
	ID:       "min_free_large",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "vm.min_free_kbytes is too high",
	Why: "The kernel keeps vm.min_free_kbytes free for its own emergencies and starts to reclaim memory above " +
		"that mark. If the value is a large share of RAM, the page cache shrinks and reclaim never stops. The " +
		"OOM killer then runs while free still shows free memory.",
	Do: "1. Remove vm.min_free_kbytes from the files in /etc/sysctl.d and reboot: the kernel then computes " +
		"its own value.\n" +
		"2. Or set it to at most 1% of RAM and run: sysctl --system",
	Commands: []check.Command{check.Shell("sysctl --system")},
	Sources:  []string{"linux-vm"},
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
			c.Found("vm.min_free_kbytes keeps {free} of {total} RAM free.", "free", free, "total", mem.Total)
		}
	},
}
