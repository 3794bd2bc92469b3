package memory_test

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// TestOOMPoints holds the formula against scores that kernels have shown: from
// 5.9 on oom_score is (1000 + points × 1000 / total) × 2/3, cut to whole numbers.
func TestOOMPoints(t *testing.T) {
	for _, c := range []struct {
		what  string
		p     host.Process
		adj   int
		total unit.Bytes
		score int64
	}{
		{"idle: neutral", host.Process{RSS: 5 * unit.MB}, 0, 24 * unit.GB, 666},
		{"half of the memory", host.Process{RSS: 12 * unit.GB}, 0, 24 * unit.GB, 1000},
		{"the same in swap and page tables", host.Process{RSS: 6 * unit.GB, Swap: 5 * unit.GB, PageTables: unit.GB}, 0, 24 * unit.GB, 1000},
		{"a protected postmaster", host.Process{RSS: 5 * unit.MB}, -900, 32 * unit.GB, 67},
		{"huge pages do not count", host.Process{RSS: 5 * unit.MB, Huge: 20 * unit.GB}, 0, 24 * unit.GB, 666},
	} {
		points := memory.OOMPoints(c.p, c.adj, c.total, 4*unit.KB)
		got := (1000 + int64(points)*1000/int64(c.total)) * 2 / 3
		if got != c.score {
			t.Errorf("%s: %d, and not %d", c.what, got, c.score)
		}
	}
	// -900 of 32 GB are 28.8 GB: 900 thousandths of it.
	if got := memory.OOMAdjustment(-900, 32*unit.GB, 4*unit.KB); got > -28*unit.GB-790*unit.MB || got < -28*unit.GB-820*unit.MB {
		t.Errorf("-900 of 32 GB: %s", got)
	}
}
