package kernel

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var Swappiness = rule.Rule{
	Address: knob.Sysctl("vm.swappiness"),
	Title:   "how readily the kernel swaps programs out to keep file pages",
	Why: "The kernel's default, 60, writes memory of idle sessions to disk to keep file pages that PostgreSQL may " +
		"have in shared_buffers as well; the session pays when it wakes. " +
		"0 does not switch swapping off: it keeps the kernel from it until the file cache is all but gone, and then " +
		"the OOM killer is near.",
	Formula: "10; 1 to 10 stays. As it is without swap, and where swap is compressed memory (zram, zswap), for " +
		"which a high value is right.",
	Sources: []string{"linux-vm", "dalibo-j1", "tuned-postgresql"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		swaps, ok := rule.Need(c, c.Snapshot.Host.Swaps)
		if !ok {
			return
		}
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		if len(swaps) == 0 {
			c.Keep("there is no swap, so it says nothing here")
			return
		}
		if kind := compressedSwap(c, swaps); kind != "" {
			c.Keep(
				"swap is compressed memory here ({kind}), from which a page comes back in microseconds: {present} "+
					"is left", "kind", kind, "present", have)
			return
		}
		switch {
		case have == 0:
			c.WarnTuned()
			c.Set("10",
				"0 does not switch swapping off, it puts it off until the file cache is gone, when the OOM killer "+
					"is near; 10 swaps a little, in time")
		case have <= limits.SwappinessMost:
			c.Keep("{present} keeps programs in memory", "present", have)
		default:
			c.WarnTuned()
			c.Set("10", "{present} swaps idle sessions out to keep file pages that shared_buffers may hold as well",
				"present", have)
		}
	},
}

// compressedSwap names what compresses swapped memory, or "".
func compressedSwap(c *rule.Case, swaps []host.Swap) string {
	for _, s := range swaps {
		if s.Kind == host.SwapZram {
			return "zram"
		}
	}
	m, _ := c.Snapshot.Host.Memory.Get()
	if used, ok := m.Line("Zswap"); ok && used > 0 {
		return "zswap"
	}
	line, _ := c.Snapshot.Host.CmdLine.Get()
	for _, word := range line {
		if word == "zswap.enabled=1" || strings.EqualFold(word, "zswap.enabled=Y") {
			return "zswap"
		}
	}
	return ""
}
