package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// IoUringDisabled is a warning: a running server keeps its rings, and the next
// start fails.
var IoUringDisabled = check.Check{
	ID:       "io_uring_disabled",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	From:     18,
	Title:    "The kernel refuses the I/O method that the server is set to",
	Why: "io_method = io_uring makes a ring for each process when the server starts. With kernel.io_uring_disabled " +
		"= 2 the kernel refuses that to everybody, with 1 to all but a group: the server does not start, or " +
		"does not start again after the next restart. Distributions and container runtimes switch it off for safety.",
	Do: "Set io_method = worker, the default; or, where io_uring is wanted and allowed, write " +
		"kernel.io_uring_disabled = 0 into /etc/sysctl.d/60-postgresql.conf and run sysctl --system before the next " +
		"restart.",
	Commands: []check.Command{
		check.Conf("kernel.io_uring_disabled = 0"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"pg-config-resource", "linux-kernel-sysctl"},
	Judge: func(c *check.Case) {
		method, ok := c.Setting("io_method")
		if !ok || method != "io_uring" {
			return
		}
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("kernel.io_uring_disabled"))
		if ok && n != 0 {
			c.Found("io_method = io_uring, and kernel.io_uring_disabled = {n}.", "n", strconv.FormatInt(n, 10))
		}
	},
}
