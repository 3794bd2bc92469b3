package memory_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"sort"
	"strconv"
	"strings"
	"testing"

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
		{"the same in swap and page tables", host.Process{RSS: 6 * unit.GB, Swap: 5 * unit.GB, PageTables: unit.GB},
			0, 24 * unit.GB, 1000},
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
	if got := memory.OOMAdjustment(-900, 32*unit.GB, 4*unit.KB); got > -28*unit.GB-790*unit.MB ||
		got < -28*unit.GB-820*unit.MB {
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
		for range 5 { // one of a few looks is of a process that did not change, or it is skipped
			p, adj, score, there := still(root, pid)
			if !there {
				break
			}
			if p == nil || adj == memory.OOMNever {
				continue
			}
			points := memory.OOMPoints(*p, adj, total, page)
			// The score is a whole number, of which one is a thousandth of the memory and a half.
			if want := int((1000 + int64(points)*1000/int64(total)) * 2 / 3); kernel.AtLeast(5, 9) &&
				(score < want-1 || score > want+1) {
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
		if i > 0 && r.score > all[i-1].score+2 { // each may be one off
			t.Errorf("process %d has a score of %d and comes after %d with %d", r.pid, r.score, all[i-1].pid,
				all[i-1].score)
		}
	}
	t.Logf("%d processes; first: %+v", len(all), all[0])
}

// still looks at a process that other programs may have at work. It is nil if the process changed meanwhile, which page
// faults show: without one a process gets no page, and released pages show in what it has. The files are of different
// moments, so the values before and after alone say nothing about the time between.
func still(root fs.FS, pid int) (p *host.Process, adj, score int, there bool) {
	f1, ok1 := faults(root, pid)
	before, ok2 := host.ReadProcess(root, pid).Get()
	after, ok3 := host.ReadProcess(root, pid).Get()
	f2, ok4 := faults(root, pid)
	score, ok5 := before.OOMScore.Get()
	adj, ok6 := after.OOMScoreAdj.Get()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || before.Size == 0 {
		return nil, 0, 0, false // it ended, or is a thread of the kernel
	}
	if f1 != f2 || before.RSS != after.RSS || before.Swap != after.Swap || before.PageTables != after.PageTables ||
		before.OOMScoreAdj != after.OOMScoreAdj {
		return nil, 0, 0, true
	}
	return &after, adj, score, true
}

// faults are the page faults of all threads of a process, minor and major, as
// /proc/PID/stat counts them.
func faults(root fs.FS, pid int) (text string, ok bool) {
	b, err := fs.ReadFile(root, "proc/"+strconv.Itoa(pid)+"/stat")
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // the name may have anything in it
	if err != nil || len(f) < 10 {
		return "", false
	}
	return f[7] + " " + f[9], true // minflt and majflt: fields 10 and 12
}
