package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// SwappinessHigh is silent without swap, where the value has no effect, and
// where all swap is compressed memory, for which the kernel's manual itself
// suggests high values.
var SwappinessHigh = check.Check{
	ID:       "swappiness_high",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "vm.swappiness is above 10 on a host that swaps to disk",
	Why: "vm.swappiness weighs private memory against the page cache when the kernel needs room. At its default of " +
		"60 a large scan or a backup can push the memory of " +
		"idle backends, and shared buffers on ordinary pages, out to disk to cache files that nobody reads again; " +
		"each of them is slow when it wakes up.",
	Do: "Write vm.swappiness = 10 into /etc/sysctl.d/60-postgresql.conf and run sysctl --system. Where tuned runs, " +
		"set it in its profile, which would overwrite it.",
	Commands: []check.Command{
		check.Conf("vm.swappiness = 10"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"linux-vm", "dalibo-j1", "tuned-postgresql"},
	Judge: func(c *check.Case) {
		swaps, ok := check.Need(c, c.Snapshot.Host.Swaps)
		if !ok {
			return
		}
		onDisk := false
		for _, s := range swaps {
			onDisk = onDisk || s.Kind != host.SwapZram
		}
		if !onDisk {
			return
		}
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.swappiness"))
		if _, _, told := notInForce(c, "vm.swappiness"); told {
			c.Because("sysctl_not_in_force") // which names the file whose word is not obeyed
		}
		if ok && n > limits.SwappinessMost {
			c.Found("vm.swappiness = {n}.", "n", strconv.FormatInt(n, 10))
		}
	},
}
