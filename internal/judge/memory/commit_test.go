package memory_test

import (
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/test/tier"
)

const kB = unit.KB

// TestPublishedCommitLimits holds the limit against those that kernels showed
// or that others computed; a kernel's own to within 8 kB.
func TestPublishedCommitLimits(t *testing.T) {
	for _, c := range []struct {
		what string
		in   memory.Commit
		want unit.Bytes
		off  unit.Bytes
	}{
		{"32 GB and 2 GB of swap at the default of 50 %", memory.Commit{Total: 32 * unit.GB, Swap: 2 * unit.GB,
			Ratio: 50}, 18 * unit.GB, 0},
		{"the same at 75 %", memory.Commit{Total: 32 * unit.GB, Swap: 2 * unit.GB, Ratio: 75}, 26 * unit.GB, 0},
		{"a kernel at 85 %", memory.Commit{Total: 16473548 * kB, Swap: 1740796 * kB, Ratio: 85}, 15743308 * kB, 8 * kB},
		{"a small machine at 60 %", memory.Commit{Total: 3735244 * kB, Swap: 1048572 * kB, Ratio: 60},
			3289718 * kB, 8 * kB},
		{"64 GB with a pool of 17 GB and 4 GB of swap", memory.Commit{Total: 64 * unit.GB, Hugetlb: 17 * unit.GB,
			Swap: 4 * unit.GB, Ratio: 50}, 27*unit.GB + 512*unit.MB, 0},
		{"6.18 without huge pages", memory.Commit{Total: 24684080 * kB, Ratio: 50}, 12342040 * kB, 8 * kB},
		{"6.18 with 2,000 of them", memory.Commit{Total: 24684080 * kB, Hugetlb: 4000 * unit.MB, Ratio: 50},
			10294040 * kB, 8 * kB},
		{"6.18 at 30 %", memory.Commit{Total: 24684080 * kB, Ratio: 30}, 7405224 * kB, 8 * kB},
		{"an amount: the pool is not taken off", memory.Commit{Total: 64 * unit.GB, Hugetlb: 17 * unit.GB,
			Swap: 4 * unit.GB, KBytes: 30 * unit.GB}, 34 * unit.GB, 0},
	} {
		if got := c.in.Limit(); got < c.want-c.off || got > c.want+c.off {
			t.Errorf("%s: %d kB, want %d kB", c.what, got/kB, c.want/kB)
		}
	}
}

// TestPublishedRatios: the ratio for 80 % of 32 GB with 2 GB of swap.
func TestPublishedRatios(t *testing.T) {
	for huge, want := range map[unit.Bytes]int64{0: 73, 8 * unit.GB: 65, 8602 * unit.MB: 64} {
		if got := (memory.Commit{Total: 32 * unit.GB, Swap: 2 * unit.GB, Hugetlb: huge}).RatioFor(); got != want {
			t.Errorf("with %s of huge pages: %d, want %d", huge, got, want)
		}
	}
}

// TestCommitLimitOfThisKernel: the predicted limit is the kernel's own.
func TestCommitLimitOfThisKernel(t *testing.T) {
	root := os.DirFS("/")
	// The swap and the huge pages of a living machine may change between two
	// reads of a file; one of a few is undisturbed.
	for range 5 {
		m, ok := host.ReadMemory(root).Get()
		if !ok {
			tier.Missing(t, tier.Rights, "/proc/meminfo cannot be read here: %v", host.ReadMemory(root).Gap())
		}
		sysctls := host.ReadSysctls(root)
		ratio, ok1 := sysctls.Int("vm.overcommit_ratio").Get()
		kbytes, ok2 := sysctls.Int("vm.overcommit_kbytes").Get()
		if !ok1 || !ok2 {
			tier.Missing(t, tier.Rights, "/proc/sys/vm/overcommit_ratio or overcommit_kbytes cannot be read here")
		}
		c := memory.Commit{Total: m.Total, Hugetlb: m.Hugetlb(), Swap: m.SwapTotal, Ratio: ratio,
			KBytes: unit.Bytes(kbytes) * kB}
		got := c.Limit()
		if got >= m.CommitLimit-8*kB && got <= m.CommitLimit+8*kB {
			return
		}
		t.Logf("predicted %d kB, the kernel says %d kB (%+v)", got/kB, m.CommitLimit/kB, c)
	}
	t.Error("the prediction is off by more than 8 kB")
}

// TestKBytesKeepsAFifth: the limit that the planned amount makes never leaves less than a fifth of the memory to page
// cache and kernel, and is refused (0) rather than made too large if swap and huge pages leave nothing.
func TestKBytesKeepsAFifth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := memory.Commit{Total: unit.Bytes(rapid.Int64Range(int64(128*unit.MB), int64(24*unit.TB)).Draw(t, "total"))}
		c.Swap = unit.Bytes(rapid.Int64Range(0, int64(2*c.Total)).Draw(t, "swap"))
		c.Hugetlb = unit.Bytes(rapid.Int64Range(0, int64(c.Total)).Draw(t, "huge"))
		c.KBytes = c.KBytesFor()
		if c.KBytes == 0 {
			return
		}
		if limit := c.Limit(); limit+c.Hugetlb > c.Total/5*4+unit.MB {
			t.Fatalf("%+v: a limit of %s and the huge pages leave less than a fifth", c, limit)
		}
		if c.Usable(128*unit.MB, 128*unit.MB) > c.Limit() || c.Usable(c.Total, c.Total) < 0 {
			t.Fatalf("%+v: more is usable than the limit, or less than nothing", c)
		}
	})
}
