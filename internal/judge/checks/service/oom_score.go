package service

import "github.com/pgfettle/pgfettle/internal/judge/check"

// shielded is the oom_score_adj at which a process is rarely chosen: it subtracts
// half of the memory from its score (mm/oom_kill.c). Distributions give the
// postmaster -900 or -1000.
const shielded = -500

// OomScore reads /proc, not the unit: in a container without CAP_SYS_RESOURCE the
// unit shows -900 and the kernel has 0. It is silent in containers, where the runtime
// sets one value for all processes on purpose, as Kubernetes does for its QoS classes.
var OomScore = check.Check{
	ID:       "oom_score",
	Area:     check.Service,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "oom_score_adj is wrong for postmaster or backends",
	Why: "When memory runs out, the kernel kills the process with the highest score. If that is the " +
		"postmaster, the whole instance stops; if it is a backend, the cost is one crash recovery. Therefore " +
		"the postmaster should be protected and its children should not. Without PG_OOM_ADJUST_FILE the " +
		"children inherit the protection: the query that uses the memory is spared, and other services such " +
		"as sshd are killed first.",
	Do: "1. Run: systemctl edit UNIT\n" +
		"2. Add under [Service]:\n" +
		"OOMScoreAdjust=-900\n" +
		"Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj PG_OOM_ADJUST_VALUE=0\n" +
		"3. Restart the server.\n" +
		"Verify: /proc/PID/oom_score_adj is -900 for the postmaster and 0 for a backend.",
	Commands: []check.Command{
		check.Conf("OOMScoreAdjust=-900"),
		check.Conf("Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj PG_OOM_ADJUST_VALUE=0"),
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
				"1. Run: systemctl edit UNIT\n"+
					"2. Add under [Service]: Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj "+
					"PG_OOM_ADJUST_VALUE=0\n"+
					"3. Restart the server.\n"+
					"Verify: /proc/PID/oom_score_adj of a backend is 0.",
				"oom_score_adj of the postmaster = {adj}. Of {children} child processes {inherit} are protected too, "+
					"with oom_score_adj of {shielded} or less.",
				"inherit", inherit, "children", children, "adj", pm, "shielded", shielded)
		case pm > shielded:
			if pm > 0 {
				c.FoundAs(check.Warning,
					"oom_score_adj of the postmaster = {adj}: the OOM killer prefers it to other processes of its "+
						"size.",
					"adj", pm)
				return
			}
			c.Found("oom_score_adj of the postmaster = {adj}: the OOM killer may choose it like any backend.", "adj",
				pm)
		}
	},
}
