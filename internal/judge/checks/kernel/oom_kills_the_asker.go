package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OomKillsTheAsker is a notice: it matters only once memory ends.
var OomKillsTheAsker = check.Check{
	ID:       "oom_kills_the_asker",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "The OOM killer ends whoever asks, not whoever holds the memory",
	Why: "With vm.oom_kill_allocating_task the process that happens to ask for a page when none is left is killed, " +
		"and the one that holds the memory " +
		"goes on. Only an oom_score_adj of -1000 is passed over; no other value of it is looked at. Kills within a " +
		"control group choose by size all the same.",
	Do: "Write vm.oom_kill_allocating_task = 0 into /etc/sysctl.d/60-postgresql.conf and run sysctl --system.",
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
