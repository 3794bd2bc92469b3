package rule

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

var swappiness = Rule{
	Address: knob.Sysctl("vm.swappiness"),
	Title:   "how readily the kernel swaps programs out to keep file pages",
	Why: "The kernel's default, 60, writes memory of idle sessions to disk to keep file pages that PostgreSQL may have in shared_buffers as well; the session pays when it wakes. " +
		"0 does not switch swapping off: it keeps the kernel from it until the file cache is all but gone, and then the OOM killer is near.",
	Formula: "10; 1 to 10 stays. As it is without swap, and where swap is compressed memory (zram, zswap), for which a high value is right.",
	Sources: []string{"linux-vm", "dalibo-j1", "tuned-postgresql"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *Case) {
		if !c.kernel() {
			return
		}
		swaps, ok := Need(c, c.Snapshot.Host.Swaps)
		if !ok {
			return
		}
		have, ok := c.sysctl()
		if !ok {
			return
		}
		if len(swaps) == 0 {
			c.Keep("there is no swap, so it says nothing here")
			return
		}
		if kind := c.compressedSwap(swaps); kind != "" {
			c.Keep("swap is compressed memory here ({kind}), from which a page comes back in microseconds: {present} is left", "kind", kind, "present", have)
			return
		}
		switch {
		case have == 0:
			c.warnTuned()
			c.Set("10", "0 does not switch swapping off, it puts it off until the file cache is gone, when the OOM killer is near; 10 swaps a little, in time")
		case have <= limits.SwappinessMost:
			c.Keep("{present} keeps programs in memory", "present", have)
		default:
			c.warnTuned()
			c.Set("10", "{present} swaps idle sessions out to keep file pages that shared_buffers may hold as well", "present", have)
		}
	},
}

// compressedSwap names what compresses swapped memory, or "".
func (c *Case) compressedSwap(swaps []host.Swap) string {
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

// warnTuned says who would write a kernel knob again.
func (c *Case) warnTuned() {
	profile, ok := c.Snapshot.Host.Tuned.Get()
	if !ok || profile == "" {
		return
	}
	const text = "TuneD is active with the profile {profile}, and its profiles set vm.swappiness, vm.dirty_*, read-ahead and transparent huge pages when it starts, after the files of sysctl.d: put the planned values into a profile of your own that includes {profile}."
	for _, w := range c.out.Warnings {
		if w.Text == text {
			return
		}
	}
	c.Warn(text, "profile", profile)
}
