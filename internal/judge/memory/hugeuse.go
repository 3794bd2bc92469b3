package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// OnHugePages reports whether a running server has its shared memory in huge pages: huge_pages_status (17+), else the
// postmaster's HugetlbPages, which are never zero then, as it initializes the segment itself.
func OnHugePages(in *snapshot.Instance) known.Fact[bool] {
	if set, ok := in.Server.Settings.Get(); ok {
		switch v, _ := set.Text("huge_pages_status"); v {
		case "on":
			return known.Is(true)
		case "off":
			return known.Is(false)
		}
	}
	return known.Map(in.Postmaster(), func(p host.Process) bool { return p.Huge > 0 })
}

// takenForHuge reports whether a server's memory is computed with huge pages: it runs on them, or nothing reports
// whether it does (its processes were not seen, or it was only planned), it asks for them, and so many are free.
func takenForHuge(s *snapshot.Snapshot, in *snapshot.Instance, page unit.Bytes) bool {
	if page <= 0 {
		return false
	}
	if on, told := OnHugePages(in).Get(); told {
		return on
	}
	set, _ := in.Server.Settings.Get()
	m, _ := s.Host.Memory.Get()
	asked, _ := set.Text("huge_pages")
	need, ok := HugeNeedOf(in, page)
	return ok && asked != "" && asked != "off" && page == m.HugePageSize && m.HugeFree-m.HugeRsvd >= need.Pages
}

// HugeNeed is how many huge pages a server's shared memory fills as it is.
type HugeNeed struct {
	Pages int64 // with so many it certainly gets them, unless an unknown library asks for more
	Least int64 // with fewer than this it certainly does not
}

// Exact reports whether the number is the server's own.
func (n HugeNeed) Exact() bool { return n.Pages == n.Least }

// HugeNeedOf returns the huge pages of a size that a server's shared memory fills: its own answer (15+), else the
// segment rounded up to whole pages. ok is false if the segment is not known or the size is 0.
func HugeNeedOf(in *snapshot.Instance, size unit.Bytes) (n HugeNeed, ok bool) {
	if size <= 0 {
		return HugeNeed{}, false
	}
	set, _ := in.Server.Settings.Get()
	if pages, ok := set.Int("shared_memory_size_in_huge_pages"); ok && pages > 0 {
		return HugeNeed{pages, pages}, true
	}
	seg, ok := SegmentOf(in).Get()
	return HugeNeed{HugePages(seg.Size, size), HugePages(seg.Least, size)}, ok
}

// HugePagesHeld returns how many huge pages of the default size an instance holds now: 0 if it uses regular pages or
// pages of another size, or if nothing shows that it uses huge pages.
func HugePagesHeld(s *snapshot.Snapshot, in *snapshot.Instance) int64 {
	m, _ := s.Host.Memory.Get()
	page, _ := HugePageSize(s, in).Get()
	if on, _ := OnHugePages(in).Get(); !on || page <= 0 || page != m.HugePageSize {
		return 0
	}
	n, _ := HugeNeedOf(in, page)
	return n.Pages
}

// HugePagesAwaited returns how many huge pages of the default size an instance that does not run cannot start without:
// 0 if it does with ordinary ones.
func HugePagesAwaited(s *snapshot.Snapshot, in *snapshot.Instance) int64 {
	if running, ok := in.Running.Get(); !ok || running {
		return 0
	}
	m, _ := s.Host.Memory.Get()
	page, _ := HugePageSize(s, in).Get()
	set, _ := in.Server.Settings.Get()
	asked, _ := set.Text("huge_pages")
	if page <= 0 || page != m.HugePageSize || asked != "on" {
		return 0
	}
	n, _ := HugeNeedOf(in, page)
	return n.Pages
}
