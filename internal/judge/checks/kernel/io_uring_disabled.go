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
	Title:    "io_method = io_uring, but the kernel disables io_uring",
	Why: "With io_method = io_uring the server creates a ring for each process at start. With " +
		"kernel.io_uring_disabled = 2 the kernel denies that to all users, with 1 to all but one group. The " +
		"server then does not start, or not after the next restart. Distributions and container runtimes " +
		"disable io_uring for security.",
	Do: "1. Set io_method = worker, the default.\n" +
		"2. Or, if io_uring is wanted and allowed, write into /etc/sysctl.d/60-postgresql.conf: " +
		"kernel.io_uring_disabled = 0\n" +
		"3. Load it before the next restart of the server: sysctl --system",
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
			c.Found("io_method = io_uring, kernel.io_uring_disabled = {n}.", "n", strconv.FormatInt(n, 10))
		}
	},
}
