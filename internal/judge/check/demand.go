package check

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// AtPeak returns the instance's memory as its settings let it grow under a
// mixed load, the default profile of a plan.
func (c *Case) AtPeak(in *snapshot.Instance) (memory.Instance, bool) {
	return Need(c, memory.AtPeak(c.Snapshot, in, memory.Mixed))
}

// PageTables returns the page tables that all processes of the instance have now.
func PageTables(in *snapshot.Instance) known.Fact[unit.Bytes] {
	return known.Map(in.Processes, func(ps []host.Process) unit.Bytes {
		var sum unit.Bytes
		for _, p := range ps {
			sum += p.PageTables
		}
		return sum
	})
}

// CommitLimit returns what the commit limit is made of, when strict overcommit is on.
func CommitLimit(c *Case) (memory.Commit, bool) {
	sys := c.Snapshot.Host.Sysctls
	mode, ok := Need(c, sys.Int("vm.overcommit_memory"))
	if !ok || mode != 2 {
		return memory.Commit{}, false
	}
	mem, ok1 := Need(c, c.Snapshot.Host.Memory)
	ratio, ok2 := Need(c, sys.Int("vm.overcommit_ratio"))
	kbytes, ok3 := Need(c, sys.Int("vm.overcommit_kbytes"))
	if !ok1 || !ok2 || !ok3 {
		return memory.Commit{}, false
	}
	swap, ok1 := Need(c, mem.Told("SwapTotal"))
	_, ok2 = Need(c, mem.Told("Committed_AS")) // present together with the lines of the huge pages
	return memory.Commit{Total: mem.Total, Hugetlb: mem.Hugetlb(), Swap: swap, Ratio: ratio,
		KBytes: unit.Bytes(kbytes) * unit.KB}, ok1 && ok2
}

// WorkShare: the finding is about work_mem only if sorts and hashes are at least this
// percentage of what does not fit; if buffers or the number of connections fill the
// memory, other checks report it.
const WorkShare = 25
