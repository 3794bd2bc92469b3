package kernel

import "github.com/pgfettle/pgfettle/internal/judge/check"

// OvercommitMode1 has no threshold: 1 is for programs with sparse arrays larger
// than RAM.
var OvercommitMode1 = check.Check{
	ID:       "overcommit_mode_1",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "vm.overcommit_memory = 1: overcommit without limit",
	Why: "With vm.overcommit_memory = 1 the kernel never refuses a memory request, whatever its size. What " +
		"would be an error of one query becomes an OOM kill of a backend, and all sessions are disconnected. " +
		"The setting often remains from the installation guide of an in-memory store.",
	Do: "1. Write into /etc/sysctl.d/60-postgresql.conf: vm.overcommit_memory = 0\n" +
		"2. Run: sysctl --system\n" +
		"The change takes effect at once. On a host for PostgreSQL only, mode 2 with a computed " +
		"vm.overcommit_kbytes is an alternative: pgfettle plan\n" +
		"Move a store that needs 1 to another host.",
	Commands: []check.Command{
		check.Conf("vm.overcommit_memory = 0"),
		check.Shell("sysctl --system"),
		check.Shell("pgfettle plan"),
	},
	Sources: []string{"pg-overcommit", "linux-vm"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.overcommit_memory"))
		if ok && n == 1 {
			c.Found("vm.overcommit_memory = 1.")
		}
	},
}
