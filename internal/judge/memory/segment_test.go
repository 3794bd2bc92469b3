package memory

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// serverOf is an instance whose server shows these values.
func serverOf(t *testing.T, major int, values map[string]string) *snapshot.Instance {
	t.Helper()
	in := &snapshot.Instance{Key: "1"}
	in.Server.Version = known.Is(unit.MajorVersion(major))
	set := settings(t, major, values)
	for _, computed := range []string{"shared_memory_size", "shared_memory_size_in_huge_pages", "huge_pages_status"} {
		if _, ok := values[computed]; !ok {
			delete(set, computed)
		}
	}
	in.Server.Settings = known.Is(set)
	return in
}

func postmaster(huge unit.Bytes) known.Fact[[]host.Process] {
	return known.Is([]host.Process{{PID: 100, Kind: "postmaster", Huge: huge}, {PID: 101, Kind: "checkpointer"}})
}

// TestSegmentIsAskedInOrder: what the server says, the sum of its parts, the
// estimate; shared_buffers alone never passes for the whole.
func TestSegmentIsAskedInOrder(t *testing.T) {
	in := serverOf(t, 17, map[string]string{"shared_buffers": "2097152", "shared_memory_size": "16800"})
	if got, _ := SegmentOf(in).Get(); got != (Segment{16800 * unit.MB, 16800 * unit.MB}) {
		t.Errorf("from the server: %+v", got)
	}
	in = serverOf(t, 14, map[string]string{"shared_buffers": "2097152"})
	in.Server.Shmem = known.Is([]pg.ShmemPart{{Name: "a", Size: 3 * unit.GB}, {Name: "<unused>", Size: unit.GB}})
	if got, _ := SegmentOf(in).Get(); got != (Segment{4 * unit.GB, 4 * unit.GB}) {
		t.Errorf("from its parts: %+v", got)
	}
	in.Server.Shmem = known.Barred[[]pg.ShmemPart](known.Gap{Fact: "shmem"})
	got, _ := SegmentOf(in).Get()
	if got.Exact() || got.Size <= 16*unit.GB || got.Size > 17*unit.GB || got.Least >= got.Size ||
		got.Least < 16*unit.GB {
		t.Errorf("estimated: %+v, at least %s", got, got.Least)
	}
	in.Server.Settings = known.Is(pg.Settings{"shared_buffers": pg.Setting{Name: "shared_buffers", Value: "2097152",
		Unit: "8kB"}})
	if f := SegmentOf(in); f.Known() || f.Gap().Reason == "" {
		t.Errorf("from shared_buffers alone: %+v", f)
	}
	in.Server.Settings = known.Barred[pg.Settings](known.Gap{Fact: "settings"})
	if f := SegmentOf(in); f.State() != known.Forbidden {
		t.Errorf("from nothing: %+v", f)
	}
}

// TestHugeNeedHasTwoEnds: an exact size has one number of pages, an estimate a range that contains the truth.
func TestHugeNeedHasTwoEnds(t *testing.T) {
	in := serverOf(t, 17, map[string]string{"shared_memory_size": "16800", "shared_memory_size_in_huge_pages": "8417"})
	if n, ok := HugeNeedOf(in, 2*unit.MB); !ok || n != (HugeNeed{8417, 8417}) || !n.Exact() {
		t.Errorf("the server's own answer: %+v", n)
	}
	in = serverOf(t, 16, map[string]string{"shared_memory_size": "4097"})
	if n, _ := HugeNeedOf(in, 2*unit.MB); n != (HugeNeed{2049, 2049}) {
		t.Errorf("4097 MB: %+v", n)
	}
	// 13.23 with 4 GB and 500 connections takes 2121 pages, as measured.
	in = serverOf(t, 13, map[string]string{"shared_buffers": "524288", "max_connections": "500"})
	if n, ok := HugeNeedOf(in, 2*unit.MB); !ok || n.Exact() || n.Least > 2121 || n.Pages < 2121 {
		t.Errorf("estimated: %+v", n)
	}
	if _, ok := HugeNeedOf(in, 0); ok {
		t.Error("a need in pages of no size")
	}
}

// TestHugePagesAreHeldByThoseWhoUseThem: if the server does not report it, the postmaster's own pages do, and an
// instance that does not use them holds none.
func TestHugePagesAreHeldByThoseWhoUseThem(t *testing.T) {
	s := &snapshot.Snapshot{Host: host.Host{Memory: known.Is(host.Memory{HugePageSize: 2 * unit.MB})}}
	for _, c := range []struct {
		what   string
		major  int
		values map[string]string
		procs  known.Fact[[]host.Process]
		held   int64
	}{
		{"17 says on", 17, map[string]string{"huge_pages_status": "on", "shared_memory_size_in_huge_pages": "99"},
			postmaster(0), 99},
		{"17 says off, whatever a process holds", 17, map[string]string{"huge_pages_status": "off",
			"shared_memory_size_in_huge_pages": "99"}, postmaster(unit.MB), 0},
		{"16, and the postmaster has some", 16, map[string]string{"shared_memory_size_in_huge_pages": "99"},
			postmaster(2 * unit.MB), 99},
		{"16, and it has none", 16, map[string]string{"shared_memory_size_in_huge_pages": "99"}, postmaster(0), 0},
		{"16, and nobody was seen", 16, map[string]string{"shared_memory_size_in_huge_pages": "99"},
			known.Barred[[]host.Process](known.Gap{Fact: "processes"}), 0},
		{"pages of 1 GB are not of the default pool", 16, map[string]string{"huge_page_size": "1048576",
			"shared_memory_size_in_huge_pages": "5"}, postmaster(2 * unit.GB), 0},
	} {
		in := serverOf(t, c.major, c.values)
		in.Processes = c.procs
		if got := HugePagesHeld(s, in); got != c.held {
			t.Errorf("%s: %d, want %d", c.what, got, c.held)
		}
	}
	// 14 shows the segment to superusers only: the estimate replaces it, or all of its pages would count as another
	// program's.
	in := serverOf(t, 14, map[string]string{"shared_buffers": "524288"})
	in.Processes = postmaster(2 * unit.MB)
	if got := HugePagesHeld(s, in); got < 2048 || got > 2200 {
		t.Errorf("14 without rights: %d pages for 4 GB of buffers", got)
	}
}
