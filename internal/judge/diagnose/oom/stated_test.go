package oom

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

func readLog(t *testing.T, text string) *Log {
	t.Helper()
	l, err := oomRead(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLimitOfTheText: if the report has no limit, the one that the text states is the total.
func TestLimitOfTheText(t *testing.T) {
	const line = "Memory cgroup out of memory: Killed process 18 (render) total-vm:23870700kB, anon-rss:12582912kB\n"
	k := oneKill(t, "run under systemd-run, MemoryMax=12G\n"+line, Facts{})
	if k.Limit == nil || *k.Limit != 12*unit.GB || !k.FromText || k.Cause.ID != oomProgram {
		t.Errorf("%+v", k)
	}
	if k = oneKill(t, line, Facts{}); k.Limit != nil || k.Cause.ID != oomNotTold {
		t.Errorf("%+v", k)
	}
	k = oneKill(t, "the server has 16GB RAM\n"+strings.Replace(line, "Memory cgroup o", "O", 1), Facts{})
	if k.Memory.Total == nil || *k.Memory.Total != 16*unit.GB || k.Cause.ID != oomProgram || k.Limit != nil {
		t.Errorf("%+v", k)
	}
}

// TestLockedMemory: locked memory is a separate cause, and belongs to the sum of the parts.
func TestLockedMemory(t *testing.T) {
	const text = "[62.100] Mem-Info:\n[62.200] active_anon:120 inactive_anon:0 isolated_anon:0\n" +
		" active_file:232 inactive_file:0 isolated_file:0\n unevictable:3974205 dirty:0 writeback:27 unstable:0\n" +
		" slab_reclaimable:5091 slab_unreclaimable:9578\n mapped:318 shmem:0 pagetables:9561 bounce:0\n" +
		" free:33760 free_pcp:0 free_cma:0\n"
	k := oneKill(t, text, Facts{})
	if k.Cause.ID != oomLocked || !k.Memory.Summed || *k.Memory.Total < 15*unit.GB {
		t.Errorf("%+v %+v", k.Cause, k.Memory)
	}
}

// TestGroupOfACutTable: of a table that is cut, the processes that are there are not all, and one of some kB is no
// cause.
func TestGroupOfACutTable(t *testing.T) {
	const text = "[1.100] Memory cgroup stats for /a: cache:264KB rss:0KB shmem:0KB\n" +
		"[1.200] [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n" +
		"[1.300] [   9941]     0  9941      255        1    32768        0          -998 pause\n"
	const more = "[1.300] [   9942]     0  9942    90000    80000    32768        0          -998 java\n"
	const end = "[1.400] Memory cgroup out of memor\n"
	for text, want := range map[string]string{text: oomNotTold, text + end: oomNotTold, text + more: oomNotTold,
		text + more + end: oomProgram} {
		if k := oneKill(t, text, Facts{}); k.Cause.ID != want {
			t.Errorf("%s: %+v", text, k.Cause)
		}
	}
}

// TestTellsOfTheLarge: of several kills of which nothing else is known, the one of a large process tells most.
func TestTellsOfTheLarge(t *testing.T) {
	const large = "[1.100] Memory cgroup out of memory: Killed process 1 (metrics) total-vm:9kB, anon-rss:8043768kB\n"
	const small = "[2.100] Memory cgroup out of memory: Killed process 2 (agent) total-vm:9kB, anon-rss:3652kB\n"
	for text, want := range map[string]string{large + small: "metrics", small + large: "metrics",
		small + strings.NewReplacer("2.100", "3.100", "process 2", "process "+
			"3", "(agent", "(probe").Replace(small): "probe"} {
		d := Diagnose(readLog(t, text), Facts{})
		if got := d.Kills[*d.TellsMost].Victim.Name; got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestSmallVictim: where the victim was small, the text names the largest process, or says that it cannot have been it.
func TestSmallVictim(t *testing.T) {
	const table = "[1.100] [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n" +
		"[1.200] [     11]     0    11    90000      500    32768        0             0 agent\n" +
		"[1.300] [     12]     0    12   900000   500000    32768        0          -900 node\n"
	const kill = "[1.400] Out of memory: Killed process 11 (agent) total-vm:9kB, anon-rss:1600kB, file-rss:400kB\n"
	if s := oneKill(t, table+kill, Facts{}).Cause.Text.String(); !strings.Contains(s, "largest process in the "+
		"report is "+
		"node (process 12) with") {
		t.Error(s)
	}
	if s := oneKill(t, kill, Facts{}).Cause.Text.String(); !strings.Contains(s, "not what used the memory of a host") {
		t.Error(s)
	}
}

// TestFailedCaches: allocations that failed are counted by cache, and show the memory.
func TestFailedCaches(t *testing.T) {
	const slub = "[21.1300] SLUB: Unable to allocate memory on node -1 (gfp=0x20)\n" +
		"[21.1400]   cache: kmalloc-1024(1793:c8edefa9), object size: 1024, buffer size: 1024, default order: 3\n"
	d := Diagnose(readLog(t, "[21.100] Free swap  = 5000kB\n[21.100] Total swap = 9000kB\n[21.100] 2048000 "+
		"pages RAM\n"+slub+
		slub), Facts{})
	if d.FailedAllocations != 2 || len(d.FailedCaches) != 1 || d.FailedCaches[0] != (FailedCache{"kmalloc-1024",
		"c8edefa9", 2}) || d.AtFailure == nil || d.AtFailure.Total == nil || *d.AtFailure.SwapTotal != 9000*unit.KB {
		t.Errorf("%+v", d)
	}
}

// TestEarlyOOMKnowsTheMemory: the memory that earlyoom saw is that of the host.
func TestEarlyOOMKnowsTheMemory(t *testing.T) {
	k := oneKill(t, "mem avail:  1524 of 13855 MiB (10 %), swap free:    0 of    0 MiB ( 0 %)\n"+
		"low memory! at or below SIGTERM limits: mem 10 %, swap 10 %\n"+
		"sending SIGTERM to process 27541 uid 1 \"bash\": badness 550, VmRSS 7609 MiB\n"+
		"[9.100] Out of memory: Killed process 27541 (bash) total-vm:8118236kB, anon-rss:8098448kB, file-rss:3264kB\n",
		Facts{})
	if k.Memory.Total == nil || *k.Memory.Total != 13855*unit.MB || k.Cause.ID != oomProgram {
		t.Errorf("%+v %+v", k.Memory, k.Cause)
	}
}
