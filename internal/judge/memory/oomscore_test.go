package memory_test

import (
	"io/fs"
	"os"
	"path"
	"sort"
	"strconv"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/test/tier"
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

// TestOOMPointsOfThisKernel: of all processes of this machine the points give
// the kernel's own oom_score, and so its order. Kernels before 5.9 spell the
// score otherwise: there the order alone is held.
func TestOOMPointsOfThisKernel(t *testing.T) {
	root := os.DirFS("/")
	m, ok := host.ReadMemory(root).Get()
	if !ok {
		tier.Missing(t, tier.Rights, "/proc/meminfo cannot be read here: %v", host.ReadMemory(root).Gap())
	}
	kernel, ok := host.ReadKernel(root).Get()
	if !ok {
		tier.Missing(t, tier.Rights, "the version of this kernel cannot be read")
	}
	type ranked struct {
		pid    int
		points unit.Bytes
		score  int
	}
	var all []ranked
	names, err := fs.Glob(root, "proc/[1-9]*")
	if err != nil {
		t.Fatal(err)
	}
	page, total := unit.Bytes(os.Getpagesize()), m.Total+m.SwapTotal
	for _, n := range names {
		pid, err := strconv.Atoi(path.Base(n))
		if err != nil || pid == 1 { // the first process is never chosen, and its score is 0
			continue
		}
		// A process that moved meanwhile tells nothing; one of a few looks is still. The
		// kernel counts in batches a processor, so that one that is at work can seem still
		// and be off: it is looked at again, and what never fits is a failure.
		for look := range 5 {
			before, ok1 := host.ReadProcess(root, pid).Get()
			after, ok2 := host.ReadProcess(root, pid).Get()
			adj, ok3 := after.OOMScoreAdj.Get()
			score, ok4 := before.OOMScore.Get()
			if !ok1 || !ok2 || !ok3 || !ok4 || before.Size == 0 {
				break // it ended, or is a thread of the kernel
			}
			if before.RSS != after.RSS || before.Swap != after.Swap || before.PageTables != after.PageTables || adj == memory.OOMNever {
				continue
			}
			points := memory.OOMPoints(after, adj, total, page)
			// The score is a whole number, of which one is a thousandth of the memory and a half.
			if want := int((1000 + int64(points)*1000/int64(total)) * 2 / 3); kernel.AtLeast(5, 9) && (score < want-1 || score > want+1) {
				if look < 4 {
					time.Sleep(50 * time.Millisecond)
					continue
				}
				t.Errorf("process %d: oom_score %d, and %s make %d", pid, score, points, want)
			}
			all = append(all, ranked{pid, points, score})
			break
		}
	}
	if len(all) < 2 {
		tier.Missing(t, tier.Rights, "the scores of only %d processes can be read here", len(all))
	}
	sort.Slice(all, func(i, j int) bool { return all[i].points > all[j].points })
	for i, r := range all {
		if i > 0 && r.score > all[i-1].score+1 {
			t.Errorf("process %d has a score of %d and comes after %d with %d", r.pid, r.score, all[i-1].pid, all[i-1].score)
		}
	}
	t.Logf("%d processes; first: %+v", len(all), all[0])
}
