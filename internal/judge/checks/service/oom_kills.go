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
	Title:    "The OOM killer has been at work",
	Why: "Each kill means that the memory of the host or of a control group was used up. If the victim was a " +
		"backend, every session was thrown out and the server went through crash " +
		"recovery; its log says only \"terminated by signal 9\", the reason stands in the kernel's log.",
	Do: "pgfettle diagnose oom reads who was killed and why, in the kernel's log (journalctl -k, dmesg) and in the " +
		"server's, where a victim \"was terminated by signal 9\". Then look " +
		"at the memory findings here, and at pgfettle plan.",
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
