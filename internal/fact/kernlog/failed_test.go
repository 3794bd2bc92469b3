package kernlog

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestFailedAllocation holds that the memory at an allocation that failed is kept as that of no kill, and which cache
// could not grow, whether or not the first lines are there.
func TestFailedAllocation(t *testing.T) {
	const first = "[21.0100] kernel: collectd: page allocation failure: order:3, mode:0xd0\n"
	const state = "[21.0200] kernel: Mem-Info:\n[21.0300] kernel: active_anon:11 inactive_anon:12 isolated_anon:0\n"
	const sums = "[21.0900] kernel: Free swap  = 5000kB\n[21.1000] kernel: Total swap = 9000kB\n" +
		"[21.1100] kernel: 2048000 pages RAM\n[21.1200] kernel: 48000 pages reserved\n"
	const slub = "[21.1300] kernel: SLUB: Unable to allocate memory on node -1, gfp=0x900(GFP_NOWAIT|__GFP_ZERO)\n" +
		"[21.1400] kernel:   cache: kmalloc-512(77:0a1b2c), object size: 512, buffer size: 512, default order: " +
		"3, min " +
		"order: 0\n[21.1500] kernel:   node 0: slabs: 236, objs: 13216, free: 0\n"
	for name, c := range map[string]struct {
		text string
		fail int
	}{
		"whole":             {first + state + sums + slub, 2},
		"begun within":      {sums + slub, 1},
		"without its cache": {first + state + sums, 1},
		"twice":             {first + state + sums + first + state + sums, 2},
		"the slab of 2.6":   {first + state + sums + "[22.000] kernel: SLAB: Unable to allocate memory on node 0\n", 2},
	} {
		l := readText(t, c.text)
		n := 0
		for _, o := range l.Other {
			if o.Kind == AllocFail {
				n++
			}
			if o.Cache != "" && (o.Cache != "kmalloc-512" || o.CacheOf != "0a1b2c") {
				t.Errorf("%s: %+v", name, o)
			}
		}
		if n != c.fail || len(l.Reports) != 0 || l.State == nil || l.State.Info.RAM == nil ||
			*l.State.Info.RAM != 2048000 || l.State.Info.SwapFree == nil || *l.State.Info.SwapFree != 5000*unit.KB {
			t.Errorf("%s: %d\n%s", name, n, dump(l))
		}
	}
	l := readText(t, first+state+sums+"[30.100] kernel: java invoked oom-killer: gfp_mask=0xd0, order=0\n"+state+sums+
		"[30.900] kernel: Out of memory: Killed process 411 (java) total-vm:9kB, anon-rss:8kB\n")
	if len(l.Reports) != 1 || l.Reports[0].Shown || l.Reports[0].Info == nil || len(l.Reports[0].Victims) != 1 {
		t.Error(dump(l))
	}
}

// TestPageSizeInferred holds that a report whose free blocks are cut off has the size of a page by its sums, which it
// has in pages and in kB.
func TestPageSizeInferred(t *testing.T) {
	const text = "[9.100] Mem-Info:\n[9.200] active_anon:100 inactive_anon:60 isolated_anon:0\n" +
		"[9.200]  active_file:23 inactive_file:30 isolated_file:0\n[9.200]  unevictable:500 dirty:0 writeback:0\n" +
		"[9.200]  slab_reclaimable:466 slab_unreclaimable:5345\n[9.200]  mapped:19 shmem:0 pagetables:249 bounce:0\n" +
		"[9.200]  free:31098 free_pcp:23 free_cma:0\n"
	node := func(k string) string {
		return "[9.300] Node 0 active_anon:" + k + "00kB inactive_anon:0kB active_file:" + map[string]string{"8": "184",
			"4": "92", "16": "368"}[k] + "kB mapped:" + map[string]string{"8": "152", "4": "76", "16": "304"}[k] +
			"kB pagetables:" + map[string]string{"8": "1992", "4": "996", "16": "3984"}[k] + "kB " +
			"all_unreclaimable? no\n"
	}
	for k, want := range map[string]unit.Bytes{"4": 4 * unit.KB, "8": 8 * unit.KB, "16": 16 * unit.KB} {
		if l := readText(t, text+node(k)); len(l.Reports) != 1 || l.Reports[0].PageSize != want {
			t.Errorf("%s: %s", k, dump(l))
		}
	}
	if l := readText(t, text); l.Reports[0].PageSize != 0 {
		t.Error(dump(l))
	}
	l := readText(t, text+"[9.400] Normal free:248784kB boost:2kB min:292864kB low:315392kB high:337920kB "+
		"active_anon:0kB\n")
	if l.Reports[0].PageSize != 8*unit.KB || len(l.Reports[0].Zones) != 1 ||
		l.Reports[0].Zones[0].Min != 292864*unit.KB {
		t.Error(dump(l))
	}
}

// TestZonesAlone holds that lines of zones are a state of memory, and no kill.
func TestZonesAlone(t *testing.T) {
	l := readText(t,
		"Sep 20 16:12:36 h kernel: [3.400] Node 0 Normal free:16456kB min:16484kB low:20604kB high:24724kB "+
			"active_anon:469184kB inactive_anon:469224kB\n"+
			"Sep 20 16:12:36 h kernel: [3.400] lowmem_reserve[]: 0 0 0 0\n")
	if len(l.Reports) != 1 || l.Reports[0].Called || len(l.Reports[0].Zones) != 1 {
		t.Error(dump(l))
	}
}

// TestWordsOfOldKernels holds that a capital that some kernels have is no other word, and that what a page puts about a
// name is none of it.
func TestWordsOfOldKernels(t *testing.T) {
	l := readText(t,
		"[1.100] nautilus invoked oom-killer: gfp_mask=0x201da, order=0, oomkilladj=0\n[1.200] Mem-Info:\n"+
			"[1.300] Active_anon:448923 active_file:272 inactive_anon:153736\n[1.300]  inactive_file:257 "+
			"unevictable:0 dirty:0\n"+
			"[1.300]  free:18411 slab:9847 mapped:5678 pagetables:2836 bounce:0\n"+
			"[1.400] Out of memory: kill process 4495 (**firefox**) score 182289 or a child\n"+
			"[1.500] Killed process 4495 (**firefox**)\n")
	if r := &l.Reports[0]; r.Info.ActiveAnon == nil || *r.Info.ActiveAnon != 448923 || len(r.Victims) != 1 ||
		r.Victims[0].Name != "firefox" {
		t.Error(dump(l))
	}
}

// TestContainerOfTheAsker holds that the container of the process that asked for memory is read from its cpuset.
func TestContainerOfTheAsker(t *testing.T) {
	const id = "1e479e759020fa0b6c72def90973540a2d33982fea2ad67a96373b4da751a820"
	for cpuset, want := range map[string]string{id: id, "docker-" + id + ".scope": id, "/": "", "kubepods": "",
		"/kubepods/pod7/" + id: id} {
		l := readText(t, "[1.100] java invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=-998\n[1.200] java "+
			"cpuset="+
			cpuset+" mems_allowed=0\n[1.900] Memory cgroup out of memory: Killed process 7 (java) total-vm:9kB, "+
			"anon-rss:8kB\n")
		if got := l.Reports[0].Asker.Container; got != want {
			t.Errorf("%s: %q", cpuset, got)
		}
	}
}

// TestTableEnds holds that a table is only whole where the kernel says more behind it.
func TestTableEnds(t *testing.T) {
	const text = "[1.100] Memory cgroup stats for /a: cache:264KB rss:0KB shmem:0KB\n" +
		"[1.200] [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n" +
		"[1.300] [   9941]     0  9941      255        1    32768        0          -998 pause\n"
	for end, want := range map[string]bool{"": false, "[1.300] [  ": false, "[1.400] Memory cgroup out of " +
		"memor\n": true,
		"[1.400] Memory cgroup out of memory: Killed process 7 (java) total-vm:9kB, anon-rss:8kB\n": true,
		"[1.400] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=java,pid=7,uid=0\n":      true} {
		if l := readText(t, text+end); l.Reports[0].Table.Ended != want {
			t.Errorf("%q: %s", end, dump(l))
		}
	}
}
