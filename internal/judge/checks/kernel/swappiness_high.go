package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// SwappinessHigh is silent without swap, which makes the value useless, and if all
// swap is compressed memory (zram), for which the kernel documentation suggests
// high values.
var SwappinessHigh = check.Check{
	ID:       "swappiness_high",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "vm.swappiness is high for a database server",
	Why: "When the kernel needs memory, vm.swappiness weighs swapping of private and shared memory against " +
		"dropping page cache (at 100 both cost the same). At the default of 60 it prefers to drop page cache. " +
		"A large scan or a backup can still swap out idle backends, and shared_buffers on regular pages. They " +
		"are slow when they are used again.",
	Do: "1. Write into /etc/sysctl.d/60-postgresql.conf: vm.swappiness = 10\n" +
		"2. Run: sysctl --system\n" +
		"The change takes effect at once. If TuneD runs, set the value in its profile, which would overwrite " +
		"it.",
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
			c.Because("sysctl_not_in_force") // which names the file
		}
		if ok && n > limits.SwappinessMost {
			c.Found("vm.swappiness = {n}.", "n", strconv.FormatInt(n, 10))
		}
	},
}
