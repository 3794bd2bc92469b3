package service

import "github.com/pgfettle/pgfettle/internal/judge/check"

// shielded is the oom_score_adj from which on a process is hardly ever chosen:
// it takes half of the memory off its score (mm/oom_kill.c). Distributions give
// the postmaster -900 or -1000.
const shielded = -500

// OomScore reads /proc, not what systemd says it set: in a container without
// CAP_SYS_RESOURCE the unit shows -900 and the kernel has 0. It is silent where
// a container runtime set the same value for every process on purpose, as
// Kubernetes does for its service classes.
var OomScore = check.Check{
	ID:       "oom_score",
	Area:     check.Service,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The OOM killer is pointed at the wrong process",
	Why: "When memory ends the kernel kills the process with the highest score. If that is the postmaster, the " +
		"whole instance is gone and nothing restarts it; a backend only costs a crash " +
		"recovery. So the postmaster is to be protected and its children are not. A child inherits the protection " +
		"unless PG_OOM_ADJUST_FILE is set: then the very query that eats the memory " +
		"is spared, and sshd and everything else is killed first.",
	Do: "In a drop-in of the unit (systemctl edit) set OOMScoreAdjust=-900 and " +
		"Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj PG_OOM_ADJUST_VALUE=0, restart, and compare " +
		"/proc/PID/oom_score_adj of the postmaster and of a backend.",
	Commands: []check.Command{
		check.Conf("OOMScoreAdjust=-900"),
	},
	Sources: []string{"pg-overcommit", "linux-oom", "pgfettle-measured"},
	Judge: func(c *check.Case) {
		ps, ok := check.Need(c, c.Instance.Processes)
		if !ok || len(ps) == 0 {
			return
		}
		pm, ok := check.Need(c, ps[0].OOMScoreAdj)
		if !ok {
			return
		}
		if v, ok := c.Snapshot.Host.Virt.Get(); ok && v.Container != "" {
			return
		}
		inherit, children := 0, 0
		for _, p := range ps[1:] {
			if adj, ok := p.OOMScoreAdj.Get(); ok {
				children++
				if adj <= shielded {
					inherit++
				}
			}
		}
		switch {
		case inherit > 0:
			c.FoundDo(check.Warning,
				"Set Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj PG_OOM_ADJUST_VALUE=0 in a drop-in of "+
					"the unit (systemctl edit), restart, and look at /proc/PID/oom_score_adj of a backend: it "+
					"has to be 0.",
				"{inherit} of {children} server processes below the postmaster have its oom_score_adj of {adj} or "+
					"the like: none of them can be chosen.",
				"inherit", inherit, "children", children, "adj", pm)
		case pm > shielded:
			if pm > 0 {
				c.FoundAs(check.Warning,
					"The postmaster's oom_score_adj is {adj}: the kernel prefers it to other processes of its size.",
					"adj", pm)
				return
			}
			c.Found("The postmaster's oom_score_adj is {adj}: it is as good a victim as any backend.", "adj", pm)
		}
	},
}
