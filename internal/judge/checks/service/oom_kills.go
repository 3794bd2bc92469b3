package service

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OomKills is a warning when the victims were in an instance's control group
// and a notice when it is not known whose they were. The counters run since
// boot, or since the control group was made, and tell no time.
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
				c.FoundAs(check.Warning, "{n} killed in the control group {path} of the instance {instance}.", "n",
					n, "path", cg.Path, "instance", in.Label())
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
		since := ""
		if t, ok := c.Snapshot.Host.CPUTime.Get(); ok && t.BootTime > 0 && c.Snapshot.TakenAt > t.BootTime {
			since = fmt.Sprintf(", %s ago", say.Span(float64(c.Snapshot.TakenAt-t.BootTime)))
		}
		c.Found("{n} killed on this host since it was started{since}, of whatever program.", "n", n, "since", since)
	},
}
