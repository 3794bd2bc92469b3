package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var OomKillAllocatingTask = rule.Rule{
	Address: knob.Sysctl("vm.oom_kill_allocating_task"),
	Title:   "OOM killer: kill the allocating task",
	Why: "With 1, the OOM killer kills the process that allocates next, not the one that uses the most memory. That " +
		"can be an innocent session or the postmaster. Of oom_score_adj, only -1000 protects a process then.",
	Formula: "0.",
	Sources: []string{"linux-vm", "linux-oom"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		if have == 0 {
			c.Keep("the OOM killer selects its victim by memory use")
			return
		}
		c.Set("0", "with {present}, the OOM killer kills the process that allocates next, even the postmaster",
			"present", have)
	},
}
