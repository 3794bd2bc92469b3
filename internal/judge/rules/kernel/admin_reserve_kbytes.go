package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var AdminReserveKBytes = rule.Rule{
	Address: knob.Sysctl("vm.admin_reserve_kbytes"),
	Title:   "Memory reserved for root (strict overcommit)",
	Why: "Under strict overcommit the commit limit also applies to the administrator's shell. The kernel default of " +
		"8 MB is enough for a login under heuristic overcommit, not under strict overcommit.",
	Formula: "128 MB under strict overcommit. Higher values stay.",
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
			c.Keep("{present} is enough for root to log in and repair the system", "present", unit.Bytes(have)*unit.KB)
			return
		}
		c.Set(sizing.AdminReserve,
			"under strict overcommit root needs about 128 MB to log in and repair the system; {present} is reserved "+
				"now",
			"present", unit.Bytes(have)*unit.KB)
	},
}
