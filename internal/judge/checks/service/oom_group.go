package service

import "github.com/pgfettle/pgfettle/internal/judge/check"

// OomGroup depends on oom_policy_stop: OOMPolicy=kill is one of the things that
// set memory.oom.group; Kubernetes is another.
var OomGroup = check.Check{
	ID:        "oom_group",
	Area:      check.Service,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "memory.oom.group = 1: OOM kill takes the whole instance",
	DependsOn: []string{"oom_policy_stop"},
	Why: "With memory.oom.group = 1 the kernel kills every process of the cgroup, the postmaster included, " +
		"instead of choosing one victim. One greedy query then costs a full restart of the instance instead " +
		"of a short crash recovery.",
	Do: "1. Write 0 to memory.oom.group of the cgroup. This takes effect at once.\n" +
		"2. Make it permanent in the unit: OOMPolicy=continue\n" +
		"In Kubernetes the kubelet sets the value for each container. Its option singleProcessOOMKill changes " +
		"that.",
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
			c.Found("memory.oom.group = 1 in cgroup {path}.", "path", cg.Path)
		}
	},
}
