package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// onHugePages says whether the server's shared memory is known to lie in huge
// pages now.
func onHugePages(in *snapshot.Instance) bool {
	on, _ := memory.OnHugePages(in).Get()
	return on
}

// hugePageSize returns the size of the huge pages that an instance asks for; 0
// where the kernel has none or nobody could look.
func hugePageSize(s *snapshot.Snapshot, in *snapshot.Instance) unit.Bytes {
	b, _ := memory.HugePageSize(s, in).Get()
	return b
}

// foreignPages returns the huge pages of the default size that are used or
// promised beyond those that the instances hold.
func foreignPages(s *snapshot.Snapshot, m host.Memory) int64 {
	ours := int64(0)
	for i := range s.Instances {
		ours += memory.HugePagesHeld(s, &s.Instances[i])
	}
	return max(m.HugeUsed()-ours, 0)
}

// foreignHuge returns the memory in huge pages that no plan of ours moves: pages
// of the default size that others use, and whole pools of other sizes, unless
// an instance asks for that size.
func foreignHuge(s *snapshot.Snapshot, m host.Memory) unit.Bytes {
	sum := unit.Bytes(foreignPages(s, m)) * m.HugePageSize
	pools, _ := s.Host.HugePages.Get()
	for _, p := range pools {
		mine := p.Size == m.HugePageSize
		for i := range s.Instances {
			mine = mine || hugePageSize(s, &s.Instances[i]) == p.Size
		}
		if !mine {
			sum += unit.Bytes(p.Total+p.Surplus) * p.Size
		}
	}
	return sum
}
