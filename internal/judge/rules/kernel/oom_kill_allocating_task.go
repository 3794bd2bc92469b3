package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var OomKillAllocatingTask = rule.Rule{
	Address: knob.Sysctl("vm.oom_kill_allocating_task"),
	Title:   "whom the OOM killer ends",
	Why: "With 1 it ends whoever asks for memory next, without looking who holds it: a session that did nothing " +
		"wrong, or the postmaster, whose oom_score_adj is not asked either.",
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
			c.Keep("the kernel looks who holds the memory")
			return
		}
		c.Set("0", "{present} ends whoever asks for memory next, though it be the postmaster", "present", have)
	},
}
