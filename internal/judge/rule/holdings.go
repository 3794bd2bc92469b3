package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// OnHugePages reports whether the server's shared memory is known to be in huge pages now.
func OnHugePages(in *snapshot.Instance) bool {
	on, _ := memory.OnHugePages(in).Get()
	return on
}

// HugePageSize returns the size of the huge pages that an instance asks for; 0 if the kernel has none or they are
// unknown.
func HugePageSize(s *snapshot.Snapshot, in *snapshot.Instance) unit.Bytes {
	b, _ := memory.HugePageSize(s, in).Get()
	return b
}

// ForeignPages returns the huge pages of the default size that are used or promised beyond those that the instances
// hold, and those that neighbors need which do not run now.
func ForeignPages(s *snapshot.Snapshot, m host.Memory) int64 {
	ours := int64(0)
	for i := range s.Instances {
		ours += memory.HugePagesHeld(s, &s.Instances[i])
	}
	for i := range s.Neighbours {
		ours -= memory.HugePagesAwaited(s, &s.Neighbours[i])
	}
	return max(m.HugeUsed()-ours, 0)
}

// NeighbourPages returns the huge pages of the default size that the neighbors hold, or need when they are started.
func NeighbourPages(s *snapshot.Snapshot) (n int64) {
	for i := range s.Neighbours {
		in := &s.Neighbours[i]
		n += memory.HugePagesHeld(s, in) + memory.HugePagesAwaited(s, in)
	}
	return n
}

// foreignHuge returns the memory in huge pages that no plan of ours moves: pages
// of the default size that others use, and whole pools of other sizes, unless
// an instance asks for that size.
func foreignHuge(s *snapshot.Snapshot, m host.Memory) unit.Bytes {
	// The neighbors' pages are among what they may take.
	sum := unit.Bytes(max(ForeignPages(s, m)-NeighbourPages(s), 0)) * m.HugePageSize
	pools, _ := s.Host.HugePages.Get()
	for _, p := range pools {
		mine := p.Size == m.HugePageSize
		for i := range s.Neighbours {
			mine = mine || HugePageSize(s, &s.Neighbours[i]) == p.Size
		}
		for i := range s.Instances {
			mine = mine || HugePageSize(s, &s.Instances[i]) == p.Size
		}
		if !mine {
			sum += unit.Bytes(p.Total+p.Surplus) * p.Size
		}
	}
	return sum
}
