package oom

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	storyKill = "Out of memory: Killed process 990077 (postgres) total-vm:10kB, anon-rss:8kB, file-rss:0kB, " +
		"shmem-rss:0kB, UID:26 pgtables:1kB oom_score_adj:0\n"
	storyOrphan = " UTC [57] FATAL:  terminating connection due to unexpected postmaster exit\n"
)

// TestPostmasterGone verifies that a postmaster is found as the victim by what its processes log, which is all that a
// server can log of it.
func TestPostmasterGone(t *testing.T) {
	const server = "2026-11-21 07:00:01.200" + storyOrphan + "2026-11-21 07:00:01.201" + storyOrphan
	k := oneKill(t, "2026-11-21T07:00:00.000000+0000 h kernel: "+storyKill+server, Facts{})
	if k.Victim.Role != "postmaster" || k.After.State != "stopped" || !strings.Contains(k.After.Text.String(),
		"postmaster") {
		t.Errorf("%+v\n%+v", k.Victim, k.After)
	}
	l, err := oomRead(server)
	if err != nil {
		t.Fatal(err)
	}
	if d := Diagnose(l, Facts{}); len(d.Unexplained) != 1 || d.Unexplained[0].Role != "postmaster" ||
		d.Unexplained[0].PID != 0 {
		t.Errorf("%+v", d.Unexplained)
	}
}

// TestSilentLog verifies that a server's log that ends before the kill is reported to.
func TestSilentLog(t *testing.T) {
	const entry = " UTC [5] LOG:  checkpoint starting: time\n"
	const kernel = "2026-11-21T07:00:00.000000+0000 h kernel: " + storyKill
	before := oneKill(t, "2026-11-21 06:59:59.200"+entry+kernel, Facts{}).After
	if !strings.Contains(before.Text.String(), "ends at 2026-11-21T06:59:59Z") {
		t.Errorf("%+v", before)
	}
	if after := oneKill(t, kernel+"2026-11-21 07:00:09.200"+entry, Facts{}).After; strings.Contains(
		after.Text.String(), "ends at") {
		t.Errorf("%+v", after)
	}
}

// TestNamespaces verifies that a death is found by its second if process IDs are those of a container, with timestamps
// without a zone or a year, and that it is said how.
func TestNamespaces(t *testing.T) {
	const death = " UTC [1] LOG:  server process (PID 77) was terminated by signal 9: Killed\n"
	for name, c := range map[string]struct {
		log   string
		found bool
	}{
		"a clock without zone": {"[Sat Nov 21 08:00:00 2026] " + storyKill + "2026-11-21 07:00:01.200" +
			death, true},
		"a clock without zone or year": {"Nov 21 12:30:02 h kernel: " + storyKill + "2026-11-21 07:00:01.200" +
			death, true},
		"half a minute apart": {"[Sat Nov 21 08:00:30 2026] " + storyKill + "2026-11-21 07:00:01.200" + death,
			false},
		"two of them": {"[Sat Nov 21 08:00:00 2026] " + storyKill + "2026-11-21 07:00:01.200" + death +
			strings.ReplaceAll("2026-11-21 07:00:01.300"+death, "77", "78"), false},
		"another day": {"[Mon Nov 23 08:00:00 2026] " + storyKill + "2026-11-21 07:00:01.200" + death, false},
		"no time":     {storyKill + "2026-11-21 07:00:01.200" + death, false},
	} {
		k := oneKill(t, c.log, Facts{})
		if found := k.Victim.LogPID == 77; found != c.found || found != strings.Contains(k.Victim.RoleFrom.String(),
			"same time") {
			t.Errorf("%s: %+v", name, k.Victim)
		}
	}
}

// TestRealShare verifies that one process of many is no cause, however much more than the others it has, unless it
// holds a real part of the memory.
func TestRealShare(t *testing.T) {
	const ram = 4 << 20
	rows := func(n, anon int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(oomRow(1000+i, anon, 100, 200000, 0, "postgres"))
		}
		return b.String()
	}
	for _, c := range []struct {
		biggest int // pages, of 16 GB
		cause   string
	}{{260000, "many_connections"}, {400000, "many_connections"}, {1500000, "one_query"}} {
		k := oneKill(t, oomHost(ram, 3600000, 100000, 3000, 1000, 10000, newTable+rows(50, 20000)+
			oomRow(2000, c.biggest, 100, 1<<20, 0, "postgres"))+oomKilled(2000, c.biggest, 100), Facts{})
		if k.Cause.ID != c.cause {
			t.Errorf("%d pages of %d: %+v", c.biggest, ram, k.Cause)
		}
	}
}

// TestSharedOnce verifies that what processes share is never summed over them.
func TestSharedOnce(t *testing.T) {
	var rows strings.Builder
	for i := range 60 {
		fmt.Fprintf(&rows, "[%7d]    33 %d 9000000 200000 1000000 0 0 httpd\n", 1000+i, 1000+i)
	}
	const old = "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n"
	log := strings.Replace(oomHost(4<<20, 300000, 190000, 3000, 1000, 10000, old+rows.String()), "mapped:1 ",
		"mapped:195000 ", 1) + oomKilled(1000, 5000, 190000)
	k := oneKill(t, log, Facts{})
	if i := slices.IndexFunc(k.Programs, func(p Program) bool { return p.Name == "httpd" }); i < 0 ||
		k.Programs[i].Private > 60*5000*4096 || !k.Programs[i].AtLeast {
		t.Errorf("%+v", k.Programs)
	}
	for _, c := range append(k.Also, k.Cause) {
		if c.ID == oomProgram {
			t.Errorf("%+v", c)
		}
	}
}

// TestPageCacheInGroup verifies that a limit that is full of dirty page cache is distinguished from one full of
// sessions.
func TestPageCacheInGroup(t *testing.T) {
	group := func(dirty int) string {
		return fmt.Sprintf("cp invoked oom-killer: order=0\nmemory: usage 1048576kB, limit 1048576kB, failcnt 9\n"+
			"Memory cgroup stats for /g:\nanon 20971520\nfile 1000000000\nshmem 1000\nfile_dirty %d\n"+
			"file_writeback 0\n"+
			"Memory cgroup out of memory: Killed process 9 (cp) total-vm:1kB, anon-rss:1kB, file-rss:0kB, "+
			"shmem-rss:0kB\n",
			dirty)
	}
	if k := oneKill(t, group(900000000), Facts{}); k.Cause.ID != oomCache || len(k.Prevention) == 0 {
		t.Errorf("%+v", k)
	}
	if k := oneKill(t, group(0), Facts{}); k.Cause.ID == oomCache {
		t.Errorf("%+v", k.Cause)
	}
}

// TestPageCacheUntold verifies that a cgroup full of page cache is told where the log says nothing of dirty pages, or
// nothing but them.
func TestPageCacheUntold(t *testing.T) {
	const head = "cp invoked oom-killer: order=0\nmemory: usage 51200kB, limit 51200kB, failcnt 3\n"
	const tail = "Memory cgroup out of memory: Killed process 9 (cp) total-vm:1kB, anon-rss:1kB, file-rss:0kB, " +
		"shmem-rss:0kB\n"
	for _, stats := range []string{"Memory cgroup stats for /g: cache:50400KB rss:800KB rss_huge:0KB shmem:0KB\n",
		"file_dirty 51300000\nfile_writeback 0\n"} {
		if k := oneKill(t, head+stats+tail, Facts{}); k.Cause.ID != oomCache || len(k.Prevention) == 0 {
			t.Errorf("%q: %+v", stats, k.Cause)
		}
	}
	if k := oneKill(t, head+"Memory cgroup stats for /g: cache:90KB rss:51000KB dirty:0KB writeback:0KB\n"+tail,
		Facts{}); k.Memory.Cache != nil {
		t.Errorf("%v", *k.Memory.Cache)
	}
}

// TestMainProcess verifies that the victim is the postmaster if systemd says next that the main process of its unit was
// killed, unless systemd did that itself.
func TestMainProcess(t *testing.T) {
	const killed = "Mar 04 05:06:07 db kernel: Out of memory: Killed process 811 (postgres) total-vm:9000000kB, " +
		"anon-rss:8000000kB, file-rss:0kB, shmem-rss:0kB\n"
	const unit = "Mar 04 05:06:09 db systemd[1]: postgresql.service: "
	const ended = unit + "Main process exited, code=killed, status=9/KILL\n"
	if k := oneKill(t, killed+ended, Facts{}); k.Victim.Role != "postmaster" {
		t.Errorf("%+v", k.Victim)
	}
	if k := oneKill(t, killed+unit+"State 'stop-sigterm' timed out. Killing.\n"+ended, Facts{}); k.Victim.Role ==
		"postmaster" {
		t.Errorf("%+v", k.Victim)
	}
}

// TestChildInItsPlace verifies that what the reaper took is the child of the process that was chosen, and no further
// kill, if the line between is missing.
func TestChildInItsPlace(t *testing.T) {
	k := oneKill(t, "[   61.10] eater invoked oom-killer: gfp_mask=0x6200ca(GFP_HIGHUSER_MOVABLE), order=0, "+
		"oom_score_adj=0\n[   61.20] Memory cgroup out of memory: Kill process 771 (eater) score 880 or sacrifice "+
		"child\n[   61.30] oom_reaper: reaped process 790 (eater), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB\n",
		Facts{})
	if k.Victim == nil || k.Victim.PID != 790 {
		t.Errorf("%+v", k.Victim)
	}
}

// TestTellsMost verifies that the headline is of the report with the most information, and of the last of several equal
// ones.
func TestTellsMost(t *testing.T) {
	const cut = "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
	other := strings.ReplaceAll(storyKill, "postgres", "java")
	for name, c := range map[string]struct {
		log  string
		want int
	}{
		"a cut one behind":    {cut + storyKill + cut, 0},
		"another's behind":    {cut + storyKill + cut + other, 0},
		"two alike":           {cut + storyKill + cut + storyKill, 1},
		"nobody could be":     {cut + "Out of memory and no killable processes...\n" + cut, 0},
		"one that is cut":     {cut, 0},
		"a server's, then it": {cut + other + cut + storyKill, 1},
	} {
		l, err := oomRead(c.log)
		if err != nil {
			t.Fatal(err)
		}
		if d := Diagnose(l, Facts{}); d.TellsMost == nil || *d.TellsMost != c.want {
			t.Errorf("%s: %v of %d", name, d.TellsMost, len(d.Kills))
		}
	}
}

// TestKernelThread verifies that a thread of the kernel that asked is no program, and that a kill manually has an
// advice.
func TestKernelThread(t *testing.T) {
	k := oneKill(t, "kworker/3:1 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=-1, oom_score_adj=0\n"+storyKill,
		Facts{})
	if k.Invoker.Role != "kernel thread" || k.Cause.ID != oomManual || len(k.Prevention) == 0 {
		t.Errorf("%+v", k)
	}
}

// TestWholeGroupOnce verifies that the first of a group that is killed as a whole counts once, though the kernel logs
// it twice.
func TestWholeGroupOnce(t *testing.T) {
	const of = "Memory cgroup out of memory: Killed process %d (postgres) total-vm:1kB, anon-rss:1kB, file-rss:0kB, " +
		"shmem-rss:0kB, UID:0 pgtables:0kB oom_score_adj:0\n"
	k := oneKill(t, fmt.Sprintf(of, 1)+"Tasks in /g are going to be killed due to memory.oom.group set\n"+
		fmt.Sprintf(of, 1)+fmt.Sprintf(of, 2), Facts{})
	if k.Killed != 2 {
		t.Errorf("%d killed", k.Killed)
	}
}
