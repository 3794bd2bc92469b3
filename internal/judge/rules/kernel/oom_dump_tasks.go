package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var OomDumpTasks = rule.Rule{
	Address: knob.Sysctl("vm.oom_dump_tasks"),
	Title:   "Process list in OOM reports",
	Why: "The process list in the kernel log is often the only record of what used the memory. Writing it takes " +
		"milliseconds, even with thousands of processes.",
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
			c.Keep("OOM reports include the process list")
			return
		}
		c.Set("1", "with 0, OOM reports have no process list, so the cause of an OOM kill stays unknown")
	},
}
