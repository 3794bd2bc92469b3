package kernel

import "github.com/pgfettle/pgfettle/internal/judge/check"

// OomReportShort is information: it costs nothing until the day of the post-mortem.
var OomReportShort = check.Check{
	ID:       "oom_report_short",
	Area:     check.Kernel,
	Severity: check.Info,
	Scope:    check.PerHost,
	Title:    "OOM reports lack the process list (vm.oom_dump_tasks)",
	Why: "With vm.oom_dump_tasks = 0 the OOM report names only the victim. The process list shows which " +
		"backend held the memory, how much of it was page tables, and whether another program was the cause. " +
		"Without it these questions stay open.",
	Do: "1. Write into /etc/sysctl.d/60-postgresql.conf: vm.oom_dump_tasks = 1\n" +
		"2. Run: sysctl --system\n" +
		"The change takes effect at once, without a restart.",
	Commands: []check.Command{
		check.Conf("vm.oom_dump_tasks = 1"),
		check.Shell("sysctl --system"),
	},
	Sources: []string{"linux-vm"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.oom_dump_tasks"))
		if _, _, told := notInForce(c, "vm.oom_dump_tasks"); told {
			c.Because("sysctl_not_in_force")
		}
		if ok && n == 0 {
			c.Found("vm.oom_dump_tasks = 0.")
		}
	},
}
