package kernel

import "github.com/pgfettle/pgfettle/internal/judge/check"

// OvercommitMode1 has no threshold: 1 is for programs with sparse arrays that
// are larger than any memory.
var OvercommitMode1 = check.Check{
	ID:       "overcommit_mode_1",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "The kernel promises any amount of memory",
	Why: "With vm.overcommit_memory = 1 no request for memory is ever refused, however absurd. Errors that would " +
		"end one query end in the OOM killer instead, which takes a backend and " +
		"with it every session. It is often left behind by the installation notes of an in-memory store.",
	Do: "Write vm.overcommit_memory = 0 into /etc/sysctl.d/60-postgresql.conf and run sysctl --system; on a host " +
		"that is there for PostgreSQL alone, 2 with a computed " +
		"vm.overcommit_kbytes (pgfettle plan). A store that needs 1 belongs on another host.",
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
