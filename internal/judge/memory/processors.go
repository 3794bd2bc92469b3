package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Processors returns how many CPUs an instance may use: those online, or the whole ones of its cgroup's quota or set if
// that is fewer, at least one. A quota of 2.5 counts as 2: it is used to count processes that work at once, and the
// third of them would get its half of the time only from the others, as the whole group is stopped when its quota is
// used up. in is nil for the host.
func Processors(s *snapshot.Snapshot, in *snapshot.Instance) known.Fact[int] {
	n := known.Map(s.Host.CPU, func(c host.CPU) int { return c.Logical })
	cpus, ok := n.Get()
	if !ok {
		return n
	}
	if cpus < 1 {
		return known.Missed[int](known.Gap{Fact: "proc/cpuinfo", Reason: "it lists no CPU"})
	}
	if in != nil {
		cg, _ := in.CGroup.Get()
		if quota, ok := cg.CPUs.Get(); ok && quota > 0 {
			cpus = min(cpus, max(int(quota), 1))
		}
		if set, ok := cg.CPUSet.Get(); ok && set > 0 {
			cpus = min(cpus, set)
		}
	}
	return known.Is(cpus)
}
