package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// balloonShare: a balloon that holds less than a hundredth of the memory changes
// no plan.
const balloonShare = 1

// MemoryBalloon is silent about the driver alone, which nearly every guest has:
// only pages that it holds are taken away.
var MemoryBalloon = check.Check{
	ID:       "memory_balloon",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "The hypervisor has taken memory back from this machine",
	Why: "A balloon driver holds pages inside of the guest so that the hypervisor can give them to others. They " +
		"come out of the page cache and of what queries may use, at the moment when the hypervisor is short and " +
		"not when this machine has something to spare; percentages such as vm.overcommit_ratio count on memory that " +
		"is not there.",
	Do: "Reserve the whole memory of this guest in the hypervisor, or remove its balloon device. Until then " +
		"plan with --pin or a smaller memory than the machine was given.",
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
		c.Found("The balloon holds {held}, beside {total} that the machine has left.", "held", held, "total", mem.Total)
	},
}
