package kernel

import (
	"math"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var MinFreeKbytes = rule.Rule{
	Address: knob.Sysctl("vm.min_free_kbytes"),
	Title:   "how much memory the kernel keeps free for itself",
	Why: "Copied from a larger machine it takes memory from everybody and brings the OOM killer near; a few " +
		"megabytes on a large one let atomic allocations of the network fail.",
	Formula: "As it is from half of what the kernel computes (the square root of 16 times the memory in kB, 128 kB " +
		"to 256 MB) up to 5 % of the memory; outside of that what the kernel computes.",
	Sources: []string{"linux-vm"},
	Effect:  knob.Now,
	Risk:    knob.Medium,
	Unit:    "kB",
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		m, ok := rule.Need(c, c.Snapshot.Host.Memory)
		if !ok {
			return
		}
		kernels := int64(math.Sqrt(16 * float64(m.Total/unit.KB)))
		kernels = min(max(kernels, 128), 262144)
		now := unit.Bytes(have) * unit.KB
		switch {
		case now > m.Total.Scale(0.05):
			c.Set(strconv.FormatInt(kernels, 10),
				"{present} of {memory} are kept free, more than 5 %: nobody may use them, and the OOM killer comes "+
					"the sooner", "present", now, "memory", m.Total)
		case have*2 < kernels:
			c.Set(strconv.FormatInt(kernels, 10),
				"{present} are less than half of what the kernel computes for {memory}: allocations that cannot "+
					"wait will fail", "present", now, "memory", m.Total)
		default:
			c.Keep("{present} of {memory} are a sane amount", "present", now, "memory", m.Total)
		}
	},
}
