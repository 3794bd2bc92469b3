package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OomKillsTheAsker is a notice: it matters only when memory runs out.
var OomKillsTheAsker = check.Check{
	ID:       "oom_kills_the_asker",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "vm.oom_kill_allocating_task is on",
	Why: "With vm.oom_kill_allocating_task = 1 the OOM killer kills the process that requests the last page, " +
		"and the process that holds the memory continues. Only oom_score_adj = -1000 protects a process; no " +
		"other value counts. OOM kills within a cgroup still choose by size.",
	Do: "1. Write into /etc/sysctl.d/60-postgresql.conf: vm.oom_kill_allocating_task = 0\n" +
		"2. Run: sysctl --system\n" +
		"The change takes effect at once, without a restart.",
	Commands: []check.Command{
		check.Conf("vm.oom_kill_allocating_task = 0"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"linux-vm", "linux-oom"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.oom_kill_allocating_task"))
		if _, _, told := notInForce(c, "vm.oom_kill_allocating_task"); told {
			c.Because("sysctl_not_in_force")
		}
		if ok && n != 0 {
			c.Found("vm.oom_kill_allocating_task = {n}.", "n", strconv.FormatInt(n, 10))
		}
	},
}
