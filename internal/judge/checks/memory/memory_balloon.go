package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// balloonShare, in percent: a balloon that holds less than 1% of RAM changes no plan.
const balloonShare = 1

// MemoryBalloon is silent about the driver alone, which nearly every guest has:
// only the pages that it holds are missing.
var MemoryBalloon = check.Check{
	ID:       "memory_balloon",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "Hypervisor balloons memory away",
	Why: "The balloon driver takes pages of this guest so that the hypervisor can give them to other guests. " +
		"It acts when the hypervisor is short of memory, not when this host has memory to spare. The page " +
		"cache and the memory of queries shrink, and so can MemTotal, with every limit in percent of it " +
		"(vm.overcommit_ratio).",
	Do: "1. Reserve the whole memory of this guest in the hypervisor, or remove its balloon device.\n" +
		"2. Until then, plan for the memory that is left: pin smaller values with --pin.",
	Sources: []string{"dalibo-j1", "linux-vmstat"},
	Judge: func(c *check.Case) {
		v, ok := check.Need(c, c.Snapshot.Host.VMStat)
		if !ok {
			return
		}
		mem, ok := check.Need(c, c.Snapshot.Host.Memory)
		if !ok {
			return
		}
		page, ok := check.Need(c, c.Snapshot.Host.PageSize)
		if !ok {
			return
		}
		held := unit.Bytes(v["balloon_inflate"]-v["balloon_deflate"]) * page
		if held <= 0 || !check.AtLeast(held, balloonShare, mem.Total) {
			return
		}
		c.Found("The balloon holds {held}; MemTotal is {total}.", "held", held, "total", mem.Total)
	},
}
