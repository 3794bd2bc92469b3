package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// HeldPages returns how many huge pages of the default size an instance holds
// now: 0 where it runs on ordinary pages or on those of another size, or where
// nothing tells that it runs on huge ones.
func HeldPages(s *snapshot.Snapshot, in *snapshot.Instance) int64 {
	m, _ := s.Host.Memory.Get()
	page := hugePageSize(s, in)
	if !onHugePages(in) || page <= 0 || page != m.HugePageSize {
		return 0
	}
	set, _ := in.Server.Settings.Get()
	if n, ok := set.Int("shared_memory_size_in_huge_pages"); ok && n > 0 {
		return n
	}
	size, _ := presentShared(in)
	return size.Pages(page)
}

// onHugePages says whether the server's shared memory lies in huge pages now:
// the server tells from 17 on, before that its processes' HugetlbPages do.
func onHugePages(in *snapshot.Instance) bool {
	set, _ := in.Server.Settings.Get()
	if status, ok := set.Text("huge_pages_status"); ok && status != "unknown" {
		return status == "on"
	}
	ps, _ := in.Processes.Get()
	for _, p := range ps {
		if p.Huge > 0 {
			return true
		}
	}
	return false
}

// presentShared returns the size of the main shared memory segment that the
// server has now, as it says itself: shared_memory_size (15+, in whole MB), else
// the sum of pg_shmem_allocations.
func presentShared(in *snapshot.Instance) (unit.Bytes, bool) {
	set, _ := in.Server.Settings.Get()
	if b, ok := set.Bytes("shared_memory_size"); ok && b > 0 {
		return b, true
	}
	parts, ok := in.Server.Shmem.Get()
	if !ok || len(parts) == 0 {
		return 0, false
	}
	var sum unit.Bytes
	for _, p := range parts {
		sum += p.Size
	}
	return sum, true
}

// hugePageSize returns the size of the huge pages that an instance asks for:
// huge_page_size (14+), else the kernel's default size. It is 0 where the
// kernel has none.
func hugePageSize(s *snapshot.Snapshot, in *snapshot.Instance) unit.Bytes {
	if in != nil {
		set, _ := in.Server.Settings.Get()
		if b, ok := set.Bytes("huge_page_size"); ok && b > 0 {
			return b
		}
	}
	m, _ := s.Host.Memory.Get()
	return m.HugePageSize
}

// foreignPages returns the huge pages of the default size that are used or
// promised beyond those that the instances hold.
func foreignPages(s *snapshot.Snapshot, m host.Memory) int64 {
	ours := int64(0)
	for i := range s.Instances {
		ours += HeldPages(s, &s.Instances[i])
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
