package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// BasePage returns the size of the host's regular pages: 64 kB on some arm64 and ppc64le kernels. If unknown, it is
// assumed to be 4 kB, which is what x86 has and what needs the most page tables.
func BasePage(s *snapshot.Snapshot) unit.Bytes {
	if p, ok := s.Host.PageSize.Get(); ok && p > 0 {
		return p
	}
	return 4 * unit.KB
}

// HugePageSize returns the size of the huge pages that an instance asks for: huge_page_size (14+), for which 0 and
// absence mean the kernel's default size. It is 0 on a kernel without huge pages.
func HugePageSize(s *snapshot.Snapshot, in *snapshot.Instance) known.Fact[unit.Bytes] {
	set, _ := in.Server.Settings.Get()
	if b, ok := set.Bytes("huge_page_size"); ok && b > 0 {
		return known.Is(b)
	}
	return known.Map(s.Host.Memory, func(m host.Memory) unit.Bytes { return m.HugePageSize })
}

// PoolOf returns the pool of huge pages of a size; an empty one if the kernel has none.
func PoolOf(pools []host.Pool, size unit.Bytes) host.Pool {
	for _, p := range pools {
		if p.Size == size {
			return p
		}
	}
	return host.Pool{Size: size}
}
