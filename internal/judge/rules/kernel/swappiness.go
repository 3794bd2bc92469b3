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
	Title:   "Swap tendency (swappiness)",
	Why: "Under memory pressure, vm.swappiness weighs swapping out process memory against dropping page cache. At " +
		"60, the kernel default, idle sessions are partly swapped out while page cache remains that shared_buffers " +
		"may hold as well. The session waits when it becomes active again. 0 does not disable swap: the kernel then " +
		"swaps only when little page cache is left, close to an OOM kill.",
	Formula: "10. Values from 1 to 10 stay. Unchanged without swap, and if swap is compressed memory (zram, zswap), " +
		"for which high values are right.",
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
			c.Keep("no swap configured: no effect")
			return
		}
		if kind := compressedSwap(c, swaps); kind != "" {
			c.Keep(
				"swap is compressed memory ({kind}), which is fast to read back: {present} stays", "kind", kind,
				"present", have)
			return
		}
		switch {
		case have == 0:
			c.WarnTuned()
			c.Set("10",
				"0 does not disable swap: the kernel swaps only when little page cache is left, close to an OOM "+
					"kill; 10 swaps a little, earlier")
		case have <= limits.SwappinessMost:
			c.Keep("{present} keeps process memory in RAM", "present", have)
		default:
			c.WarnTuned()
			c.Set("10", "{present} swaps out idle sessions while page cache remains that shared_buffers may hold as "+
				"well",
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
