package oom

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestStartedAgain verifies that a server whose postmaster is gone is reported as running again if its log says so, and
// that the processes that log it do not count as further deaths.
func TestStartedAgain(t *testing.T) {
	const kernel = "2026-11-21T07:00:00.000000+0000 h kernel: " + storyKill
	const gone = "2026-11-21 07:00:01.200" + storyOrphan + "2026-11-21 07:00:01.900" + storyOrphan
	for _, zone := range []string{"UTC", "CET"} {
		text := strings.ReplaceAll(gone+"2026-11-21 07:00:11.200 UTC [1] LOG:  database system is ready to accept "+
			"connections\n", " UTC ", " "+zone+" ")
		l, err := oomRead(kernel + text)
		if err != nil {
			t.Fatal(err)
		}
		d := Diagnose(l, Facts{})
		if len(d.Kills) != 1 || len(d.Unexplained) != 0 {
			t.Errorf("%s: %+v", zone, d)
			continue
		}
		k := d.Kills[0]
		if k.After.State != "restarted" || k.After.Seconds == nil || *k.After.Seconds != 10 ||
			k.Cause.ID == "one_query" {
			t.Errorf("%s: %+v %+v", zone, k.After, k.Cause)
		}
	}
}

// TestWholeGroupAfter verifies that no process is left to restart a server whose cgroup was killed whole.
func TestWholeGroupAfter(t *testing.T) {
	const kill = "Memory cgroup out of memory: Killed process 7 (postgres) total-vm:9kB, anon-rss:8kB, file-rss:1kB\n"
	const group = "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n" + kill +
		"Tasks in /pod are going to be killed due to memory.oom.group set\n" + kill
	k := oneKill(t, group, Facts{})
	if k.After.State != "stopped" || !strings.Contains(k.After.Text.String(), "memory.oom.group") ||
		strings.Contains(k.After.Text.String(), "When a child process is killed") {
		t.Errorf("%+v", k.After)
	}
}

// TestWholeGroupOfAServer verifies that a server whose cgroup was killed whole is not called untouched if the first
// victim was another program, such as the one that had started it.
func TestWholeGroupOfAServer(t *testing.T) {
	const killed = "Memory cgroup out of memory: Killed process %d (%s) total-vm:9kB, anon-rss:8kB, file-rss:1kB\n"
	head := "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n" +
		fmt.Sprintf(killed, 7, "patroni") + "Tasks in /pod are going to be killed due to memory.oom.group set\n" +
		fmt.Sprintf(killed, 7, "patroni")
	for name, c := range map[string]struct{ log, state string }{
		"with a server":    {head + fmt.Sprintf(killed, 9, "postgres"), "stopped"},
		"without a server": {head + fmt.Sprintf(killed, 9, "java"), "untouched"},
	} {
		k := oneKill(t, c.log, Facts{})
		if k.After.State != c.state || strings.Contains(k.After.Text.String(), "restarted no server") !=
			(c.state == "untouched") {
			t.Errorf("%s: %+v", name, k.After)
		}
	}
}

// TestShutDownAfter holds what is said of a server that shut down after the kill: whether it had recovered, and that
// its log has no start after it only if that is so.
func TestShutDownAfter(t *testing.T) {
	const at = "2026-11-21 07:00:0"
	const died = "2026-11-21T07:00:00.000000+0000 h kernel: " + storyKill + at +
		"0.2 UTC [9] LOG:  server process (PID 990077) was terminated by signal 9: Killed\n" +
		at + "1.2 UTC [9] LOG:  all server processes terminated; reinitializing\n"
	const ready = at + "2.2 UTC [9] LOG:  database system is ready to accept connections\n"
	const asked = at + "3.2 UTC [9] LOG:  received fast shutdown request\n"
	const down = at + "4.2 UTC [9] LOG:  database system is shut down\n"
	const again = at + "5.2 UTC [11] LOG:  starting PostgreSQL 17.5 on x86_64-pc-linux-gnu\n"
	const unit = "2026-11-21T07:00:06.000000+0000 h systemd[1]: postgresql.service: Failed with result 'oom-kill'.\n"
	for name, c := range map[string]struct {
		log       string
		want, not string
	}{
		"asked to":          {died + ready + asked + down, "The log has no later start.", "OOMPolicy=stop is"},
		"started later":     {died + ready + asked + down + again, "asked to shut down", "no later start"},
		"stopped by itself": {died + down, "Then the server shut down.", "asked"},
		"stopped by systemd after recovery": {died + ready + asked + down + unit, "although the server had recovered",
			"asked"},
		"stopped by systemd before": {died + unit, "systemd stopped postgresql.service", "recovered"},
	} {
		k := oneKill(t, c.log, Facts{})
		if text := k.After.Text.String(); k.After.State != "stopped" || !strings.Contains(text, c.want) ||
			strings.Contains(text, c.not) {
			t.Errorf("%s: %s: %s", name, k.After.State, text)
		}
	}
}

// TestLargerPages verifies that no number of huge pages is reported if a huge page is not 2 MB.
func TestLargerPages(t *testing.T) {
	for _, size := range []int{4, 64} {
		log := strings.Replace(oomHost(4<<20, 300000, 1000000, 1300000, 1000, 10000, newTable+
			oomRow(1000, 800, 900000, 17<<20, 0, "postgres")+oomRow(1001, 800, 900000, 17<<20, 0, "postgres"))+
			oomKilled(1000, 800, 900000), "Node 0 DMA: 1*4kB (M) = 4kB", fmt.Sprintf("Node 0 DMA: 1*%dkB (M) = %dkB",
			size, size), 1)
		k := oneKill(t, log, Facts{})
		i := slices.IndexFunc(k.Prevention, func(p Prevention) bool {
			return p.What.String() == "Use huge pages for shared memory"
		})
		if i < 0 {
			t.Fatalf("%d kB: %+v", size, k.Prevention)
		}
		if told := strings.Contains(strings.Join(k.Prevention[i].Commands, " "), "nr_hugepages"); told != (size == 4) {
			t.Errorf("%d kB: %q", size, k.Prevention[i].Commands)
		}
	}
}

// TestAutovacuumWorker verifies that no query is named if an autovacuum worker held the memory.
func TestAutovacuumWorker(t *testing.T) {
	log := oomHost(4<<20, 3500000, 100000, 3000, 1000, 10000, newTable+oomRow(900, 500, 3000, 160000, -900, "postgres")+
		oomRow(2000, 3300000, 1000, 1<<20, 0, "postgres")) + oomKilled(2000, 3300000, 1000) +
		"2026-11-21 07:00:01.200 UTC [900] LOG:  server process (PID 2000) was terminated by signal 9: Killed\n" +
		"2026-11-21 07:00:01.200 UTC [900] DETAIL:  Failed process was running: autovacuum: VACUUM public.t\n"
	k := oneKill(t, log, Facts{})
	for _, x := range k.Top {
		if x.PID == 2000 && x.Role != "autovacuum worker" {
			t.Errorf("%+v", x)
		}
	}
	if k.Victim.Role != "autovacuum worker" || k.Cause.ID != oomProcess {
		t.Errorf("%+v %+v", k.Victim, k.Cause)
	}
	for _, p := range k.Prevention {
		if strings.HasPrefix(p.What.String(), "Set work_mem") {
			t.Errorf("%+v", p)
		}
	}
}

const swapFull = "memory+swap: usage 5242880kB, limit 5242880kB, failcnt 8\n"

// TestMemorySwapLimit holds which limit of a group of version 1 is reported: that of memory and swap together only if
// that of memory was not hit.
func TestMemorySwapLimit(t *testing.T) {
	for _, c := range []struct {
		usage, swap string
		limit       int64
		with        bool
	}{
		{"memory: usage 3000000kB, limit 4194304kB, failcnt 0\n", swapFull,
			5242880, true},
		{"memory: usage 4194304kB, limit 4194304kB, failcnt 9\n", swapFull,
			4194304, false},
		{"memory: usage 4194304kB, limit 4194304kB, failcnt 9\n", "swap: usage 5242880kB, limit 5242880kB, failcnt 8\n",
			4194304, false},
	} {
		k := oneKill(t, "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"+c.usage+c.swap+
			"Memory cgroup out of memory: Killed process 7 (postgres) total-vm:9kB, anon-rss:8kB, "+
			"file-rss:1kB\n", Facts{})
		if k.Limit == nil || int64(*k.Limit) != c.limit*1024 || k.LimitSwap != c.with {
			t.Errorf("%+v: %+v %v", c, k.Limit, k.LimitSwap)
		}
	}
}

// TestRowsMissing verifies that a truncated table is reported as such, and that nothing is computed from its rows.
func TestRowsMissing(t *testing.T) {
	k := oneKill(t, oomHost(4<<20, 300000, 1000000, 1300000, 1000, 10000, newTable+
		oomRow(1000, 800, 900000, 17<<20, 0, "postgres")+oomRow(1001, 800, 900000, 17<<20, 0, "postgres"))+
		oomKilled(1000, 800, 900000), Facts{})
	told := false
	for _, m := range k.Missing {
		told = told || strings.Contains(m.Reason.String(), "rows of the task table are missing")
	}
	if !told {
		t.Errorf("%+v", k.Missing)
	}
	for _, p := range k.Prevention {
		if strings.Contains(p.Why.String(), "saved about ") {
			t.Errorf("%+v", p)
		}
	}
}

// TestSharedTouched verifies that shared memory that one process had touched is the least that there was.
func TestSharedTouched(t *testing.T) {
	k := oneKill(t, "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"+
		"memory: usage 16777216kB, limit 16777216kB, failcnt 5\nMemory cgroup out of memory: Killed process 7 "+
		"(postgres) total-vm:18014440kB, anon-rss:20100kB, file-rss:11020kB, shmem-rss:16449320kB\n", Facts{})
	if k.Cause.ID != oomShared || !strings.Contains(k.Cause.Text.String(), "at least") || k.Memory.Shared != nil {
		t.Errorf("%+v", k.Cause)
	}
}
