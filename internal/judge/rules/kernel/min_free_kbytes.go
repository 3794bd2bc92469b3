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
	Title:   "Minimum free memory kept by the kernel",
	Why: "A value copied from a larger host wastes memory and leads to earlier OOM kills. With a few megabytes on a " +
		"large host, atomic allocations, such as those for network packets, fail.",
	Formula: "The kernel computes sqrt(16 × RAM in kB) kB, from 128 kB to 256 MB. Values from half of that up to 5% " +
		"of RAM stay; other values become the computed one.",
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
				"{present} of {memory} RAM is kept free, more than 5%: no process can use it, and the OOM killer "+
					"starts earlier", "present", now, "memory", m.Total)
		case have*2 < kernels:
			c.Set(strconv.FormatInt(kernels, 10),
				"{present} is less than half of what the kernel computes for {memory} RAM: atomic allocations can fail",
				"present", now, "memory", m.Total)
		default:
			c.Keep("{present} of {memory} RAM is in the useful range", "present", now, "memory", m.Total)
		}
	},
}
