package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var AdminReserveKBytes = rule.Rule{
	Address: knob.Sysctl("vm.admin_reserve_kbytes"),
	Title:   "memory that only root may still have when the commit limit is reached",
	Why: "Under strict overcommit the limit holds for the shell of whoever comes to repair, too. The kernel's " +
		"default of 8 MB is enough for a login under lenient overcommit, not under strict.",
	Formula: "128 MB under strict overcommit; more stays.",
	Sources: []string{"linux-vm"},
	Needs:   []knob.Address{knob.Sysctl("vm.overcommit_memory")},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Unit:    "kB",
	Decide: func(c *rule.Case) {
		mode, ok := c.Int(knob.Sysctl("vm.overcommit_memory"))
		if !ok || mode != 2 || c.Options.Shared || !c.Kernel() {
			return
		}
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		if have >= int64(sizing.AdminReserve/unit.KB) {
			c.Keep("{present} is enough for root to log in and repair", "present", unit.Bytes(have)*unit.KB)
			return
		}
		c.Set(sizing.AdminReserve,
			"under strict overcommit root needs about 128 MB to log in and repair; {present} is kept back for that now",
			"present", unit.Bytes(have)*unit.KB)
	},
}
