package kernlog

import (
	"strings"
	"testing"
)

// TestSysRq holds that a kill that a person asked for is told from one of the kernel's own, as
// kernels from 2.6 to 6.18 spell it, and that the state of memory alone is no kill: what SysRq m
// showed is kept as that.
func TestSysRq(t *testing.T) {
	const killed = "Out of memory: Killed process 9113 (postgres) total-vm:210340kB, anon-rss:102500kB\n"
	const state = "Mem-Info:\nactive_anon:15 inactive_anon:51 isolated_anon:0\nfree:917894 free_pcp:8\n" +
		"1048576 pages RAM\n[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name\n" +
		"[ 9113]    26  9113    52585    25625      60        0             0 postgres\n"
	for _, c := range []struct {
		name, text   string
		kills, byHim int
	}{
		{"2.6", "[  280.323899] SysRq : Manual OOM execution\n[  280.324009] events/0 invoked oom-killer: " +
			"gfp_mask=0xd0, order=0, oomkilladj=0\n" + state + killed, 1, 1},
		{"4.5", "[   94.887669] sysrq: SysRq : Manual OOM execution\n[   94.889230] kworker/2:0 invoked oom-killer: " +
			"gfp_mask=0xd0, order=-1, oom_score_adj=0\n" + state + killed, 1, 1},
		{"5.4", "[16969.673610] sysrq: Manual OOM execution\n[16969.674115] kworker/3:1 invoked oom-killer: " +
			"gfp_mask=0xcc0(GFP_KERNEL), order=-1, oom_score_adj=0\n" + state + killed, 1, 1},
		{"its first line is cut", "kworker/3:1 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=-1, " +
			"oom_score_adj=0\n" + state + killed, 1, 1},
		{"the kernel's own, later", "sysrq: Manual OOM execution\nkworker/3:1 invoked oom-killer: gfp_mask=0xcc0, " +
			"order=-1\n" + killed + "postgres invoked oom-killer: gfp_mask=0xcc0, order=0, oom_score_adj=0\n" +
			state + strings.ReplaceAll(killed, "9113", "9114"), 2, 1},
		{"nobody was killed, and the kernel's own later", "sysrq: Manual OOM execution\nsysrq: OOM request ignored. " +
			"No task eligible\n" + strings.Repeat("usb 1-1: new device\n", 20) + "postgres invoked oom-killer: " +
			"gfp_mask=0xcc0, order=0, oom_score_adj=0\n" + state + killed, 1, 0},
		{"a report without its beginning, later", "sysrq: Show Memory\n" + state +
			strings.Repeat("usb 1-1: new device\n", 1100) + state + killed, 1, 0},
		{"the state alone, 4.x", "[ 3621.473841] sysrq: SysRq : Show Memory\n" + state, 0, 0},
		{"the state alone, 6.x", "[ 3621.473841] sysrq: Show Memory\n" + state, 0, 0},
		{"a request that failed", "postgres: page allocation failure: order:5, mode:0x40cc0\n" + state, 0, 0},
		{"a request that took long", "postgres: page allocation stalls for 10092ms, order:0\n" + state, 0, 0},
		{"the state, and a kill behind it", "sysrq: Show Memory\n" + state + "postgres invoked oom-killer: " +
			"gfp_mask=0xcc0, order=0, oom_score_adj=0\n" + state + killed, 1, 0},
	} {
		l, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		kills, manual, shown := 0, 0, 0
		for i := range l.Reports {
			switch r := &l.Reports[i]; {
			case r.Shown:
				if shown++; r.Called || r.Info == nil || len(r.Victims)+len(r.Table.Tasks) > 0 {
					t.Errorf("%s: %s", c.name, dump(l))
				}
			case r.Manual:
				manual++
				kills++
			default:
				kills++
			}
		}
		if kills != c.kills || manual != c.byHim || shown != strings.Count(c.text, "Show Memory") {
			t.Errorf("%s: %d kills, %d of them asked for, %d states; want %d, %d\n%s", c.name, kills, manual, shown,
				c.kills, c.byHim, dump(l))
		}
	}
}
