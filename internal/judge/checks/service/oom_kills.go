package service

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OomKills is a warning if the victims were in the cgroup of an instance and a
// notice if they are unknown. The counters run since boot, or since the cgroup
// was created, and have no times.
var OomKills = check.Check{
	ID:       "oom_kills",
	Area:     check.Service,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "OOM kills occurred",
	Why: "Each OOM kill means that the host or a cgroup ran out of memory. If the victim was a backend, all " +
		"sessions were disconnected and the server ran crash recovery. The server log shows only \"terminated " +
		"by signal 9\"; the reason is in the kernel log.",
	Do: "1. Find the victim and the cause in the kernel log (journalctl -k, dmesg) and in the server log: " +
		"pgfettle diagnose oom\n" +
		"2. Check the memory findings of this report.\n" +
		"3. Size the settings for this host: pgfettle plan",
	Commands: []check.Command{
		check.Shell("pgfettle diagnose oom"),
		check.Shell("pgfettle plan"),
	},
	Sources: []string{"linux-oom", "linux-cgroup-v2", "pg-overcommit"},
	Judge: func(c *check.Case) {
		for i := range c.Snapshot.Instances {
			in := &c.Snapshot.Instances[i]
			cg, ok := in.CGroup.Get()
			if !ok {
				continue
			}
			if n, ok := cg.OOMKills.Get(); ok && n > 0 {
				c.That(check.Warning, say.M(c.Remedy()), say.N(n, "{n} OOM kill in cgroup {path} of instance "+
					"{instance}.",
					"{n} OOM kills in cgroup {path} of instance {instance}.", "path", cg.Path, "instance", in.Label()))
				return
			}
		}
		vm, ok := check.Need(c, c.Snapshot.Host.VMStat)
		if !ok {
			return
		}
		n := vm["oom_kill"]
		if n == 0 {
			return
		}
		seen := say.N(n, "{n} OOM kill on this host since boot (processes of all programs).",
			"{n} OOM kills on this host since boot (processes of all programs).")
		if t, ok := c.Snapshot.Host.CPUTime.Get(); ok && t.BootTime > 0 && c.Snapshot.TakenAt > t.BootTime {
			seen = say.N(n, "{n} OOM kill on this host since boot {since} ago (processes of all programs).",
				"{n} OOM kills on this host since boot {since} ago (processes of all programs).", "since",
				say.Span(float64(c.Snapshot.TakenAt-t.BootTime)))
		}
		c.That(check.Notice, say.M(c.Remedy()), seen)
	},
}
