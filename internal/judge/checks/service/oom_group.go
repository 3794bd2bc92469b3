package service

import "github.com/pgfettle/pgfettle/internal/judge/check"

// OomGroup depends on oom_policy_stop: OOMPolicy=kill is one of the things that
// set memory.oom.group; Kubernetes is another.
var OomGroup = check.Check{
	ID:        "oom_group",
	Area:      check.Service,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "The OOM killer takes the whole instance at once",
	DependsOn: []string{"oom_policy_stop"},
	Why: "With memory.oom.group = 1 the kernel does not choose a victim in the control group but kills every " +
		"process in it, the postmaster included. One greedy query then costs a full restart from outside " +
		"instead of a recovery that takes a moment.",
	Do: "Write 0 to memory.oom.group of the named control group, and set OOMPolicy=continue in the unit so that it " +
		"stays. In Kubernetes, where the kubelet sets it for each container, its option " +
		"singleProcessOOMKill changes that.",
	Commands: []check.Command{
		check.Conf("OOMPolicy=continue"),
	},
	Sources: []string{"linux-cgroup-v2", "systemd-service"},
	Judge: func(c *check.Case) {
		cg, ok := check.Need(c, c.Instance.CGroup)
		if !ok {
			return
		}
		if on, ok := check.Need(c, cg.OOMGroup); ok && on {
			c.Found("memory.oom.group = 1 in the control group {path}.", "path", cg.Path)
		}
	},
}
