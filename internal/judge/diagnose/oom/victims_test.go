package oom

import (
	"strings"
	"testing"
)

// TestStartedAgain holds that a server whose postmaster is gone is told to run again where its log says so, and that
// the processes that log it are no further deaths.
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

// TestWholeGroupAfter holds that nobody is left to restart a server whose control group was killed whole.
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

// TestAutovacuumWorker holds that no query is named where an autovacuum worker held the memory.
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

// TestMemorySwapLimit holds which limit of a group of version 1 is told: that of memory and swap together only where
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

// TestRowsMissing holds that a table that is cut is told to be, and that nothing is worked out from its rows.
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

// TestSharedTouched holds that shared memory that one process had touched is the least that there was.
func TestSharedTouched(t *testing.T) {
	k := oneKill(t, "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"+
		"memory: usage 16777216kB, limit 16777216kB, failcnt 5\nMemory cgroup out of memory: Killed process 7 "+
		"(postgres) total-vm:18014440kB, anon-rss:20100kB, file-rss:11020kB, shmem-rss:16449320kB\n", Facts{})
	if k.Cause.ID != oomShared || !strings.Contains(k.Cause.Text.String(), "at least") || k.Memory.Shared != nil {
		t.Errorf("%+v", k.Cause)
	}
}
