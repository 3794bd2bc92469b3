package kernel

import "github.com/pgfettle/pgfettle/internal/judge/check"

// SwapNone is information: many hosts run without swap on purpose, and a container
// cannot change it.
var SwapNone = check.Check{
	ID:       "swap_none",
	Area:     check.Kernel,
	Severity: check.Info,
	Scope:    check.PerHost,
	Title:    "No swap configured",
	Why: "Without swap, the private memory of programs that have been idle for weeks cannot be reclaimed. " +
		"There is no slow phase before memory runs out: the first sign is the OOM killer. The PostgreSQL " +
		"manual lists more swap among the remedies. A small, monitored swap area is enough.",
	Do: "1. Create a swap file of 1 to 4 GB, here 2 GB: dd if=/dev/zero of=/swapfile bs=1M count=2048\n" +
		"2. Run: chmod 600 /swapfile\n" +
		"3. Run: mkswap /swapfile\n" +
		"4. Run: swapon /swapfile\n" +
		"5. Add it to /etc/fstab: /swapfile none swap sw 0 0\n" +
		"6. Write into /etc/sysctl.d/60-postgresql.conf: vm.swappiness = 10\n" +
		"7. Run: sysctl --system\n" +
		"Watch the columns si and so of vmstat 1. Kubernetes nodes usually run without swap.",
	Commands: []check.Command{
		check.Shell("dd if=/dev/zero of=/swapfile bs=1M count=2048"),
		check.Shell("chmod 600 /swapfile"),
		check.Shell("mkswap /swapfile"),
		check.Shell("swapon /swapfile"),
		check.Conf("/swapfile none swap sw 0 0"),
		check.Conf("vm.swappiness = 10"),
		check.Shell("sysctl --system"),
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
