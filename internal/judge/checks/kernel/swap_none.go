package kernel

import "github.com/pgfettle/pgfettle/internal/judge/check"

// SwapNone is information: many hosts are run so on purpose, and containers
// have no say in it.
var SwapNone = check.Check{
	ID:       "swap_none",
	Area:     check.Kernel,
	Severity: check.Info,
	Scope:    check.PerHost,
	Title:    "The host has no swap",
	Why: "Without swap the private memory of programs that have been idle for weeks can never make room, and there " +
		"is no phase of slowness before memory ends: the first " +
		"sign is the OOM killer. PostgreSQL's manual names more swap among the means against it. A small one, " +
		"watched, is enough.",
	Do: "Make a swap file of 1 to 4 GB (dd if=/dev/zero of=/swapfile bs=1M count=2048; chmod 600 /swapfile; mkswap " +
		"/swapfile; swapon /swapfile; a line in /etc/fstab), set " +
		"vm.swappiness = 10, and watch si and so in vmstat. Kubernetes nodes are usually run without.",
	Commands: []check.Command{
		check.Conf("vm.swappiness = 10"),
	},
	Sources: []string{"pg-overcommit", "dalibo-j1"},
	Judge: func(c *check.Case) {
		swaps, ok := check.Need(c, c.Snapshot.Host.Swaps)
		if !ok || len(swaps) > 0 {
			return
		}
		if v, ok := c.Snapshot.Host.Virt.Get(); ok && v.Container != "" {
			return
		}
		c.Found("/proc/swaps lists none.")
	},
}
