package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var OomDumpTasks = rule.Rule{
	Address: knob.Sysctl("vm.oom_dump_tasks"),
	Title:   "whether the OOM killer logs who held how much memory",
	Why: "The table of processes in the kernel's log is all that is left to tell why there was no memory. " +
		"Writing it takes milliseconds even with thousands of processes.",
	Formula: "1.",
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
		if have != 0 {
			c.Keep("the next OOM report will say who held the memory")
			return
		}
		c.Set("1", "0 leaves out the table of processes, without which nobody can tell who held the memory")
	},
}
