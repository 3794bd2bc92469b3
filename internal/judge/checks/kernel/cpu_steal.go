package kernel

import (
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// Steal, in percent of CPU time. At 5% queries are visibly slower than their plans
// suggest; at 10% no setting can be judged by measurement.
const (
	stealSome = 5.0
	stealMuch = 10.0
)

// stealSpan: the counters run since boot, and one busy neighbor in the first
// minutes proves nothing.
const stealSpan = time.Hour

// CPUSteal judges the mean since boot: a host with steal on some evenings only can
// be below it.
var CPUSteal = check.Check{
	ID:       "cpu_steal",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "High CPU steal time",
	Why: "Steal is the time in which a vCPU of this host was ready to run while the hypervisor ran another " +
		"guest. Everything takes longer, with the same plans and the same cache. A backend that holds a lock " +
		"blocks others while its vCPU is not running.",
	Do: "1. Find out when it happens (column st): vmstat 1\n2. Show the figure to the administrator of the " +
		"hypervisor. Remedies: fewer vCPUs than the hypervisor's host has cores, reserved CPU time, or another host.",
	Commands: []check.Command{
		check.Shell("vmstat 1"),
	},
	Sources: []string{"linux-proc", "dalibo-j1"},
	Judge: func(c *check.Case) {
		t, ok := check.Need(c, c.Snapshot.Host.CPUTime)
		if !ok || c.Snapshot.TakenAt-t.BootTime < int64(stealSpan/time.Second) {
			return
		}
		sev := check.Notice
		switch p := t.StealPercent(); {
		case p < stealSome:
			return
		case p >= stealMuch:
			sev = check.Warning
		}
		c.FoundAs(sev, "Steal: {steal}% of CPU time since boot, on average; peaks were higher.",
			"steal", strconv.FormatFloat(t.StealPercent(), 'f', 0, 64))
	},
}
