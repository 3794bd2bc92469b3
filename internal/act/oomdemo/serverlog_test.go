package oomdemo

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const crashLog = `2026-11-21 12:54:31.100 UTC [32524] LOG:  database system is ready to accept connections
2026-11-21 12:54:31.706 UTC [32524] LOG:  server process (PID 32550) was terminated by signal 9: Killed
2026-11-21 12:54:31.706 UTC [32524] DETAIL:  Failed process was running: select 1
2026-11-21 12:54:31.706 UTC [32524] LOG:  terminating any other active server processes
2026-11-21 12:54:31.707 UTC [32541] WARNING:  terminating connection because of crash of another server process
2026-11-21 12:54:31.721 UTC [32524] LOG:  all server processes terminated; reinitializing
2026-11-21 12:54:32.184 UTC [32603] LOG:  database system was not properly shut down; automatic recovery in progress
2026-11-21 12:54:32.192 UTC [32603] LOG:  redo starts at 0/15C49E0
2026-11-21 12:54:32.310 UTC [32524] LOG:  database system is ready to accept connections
2026-11-21 12:54:33.310 UTC [32524] LOG:  received fast shutdown request
`

func TestServerLogOfACrash(t *testing.T) {
	s := readServerLog(crashLog)
	all := strings.Split(strings.TrimSpace(crashLog), "\n")
	want := []string{all[1], all[2], all[3], all[5], all[6], all[7], all[8]}
	if d := cmp.Diff(want, s.lines(false)); d != "" || !s.restarted || !s.ready {
		t.Errorf("%+v\n%s", s, d)
	}
	if !s.killed(32550) || s.killed(32524) {
		t.Errorf("deaths %v", s.deaths)
	}
	half := readServerLog(strings.Join(all[:7], "\n"))
	if !half.restarted || half.ready {
		t.Errorf("while it recovers: %+v", half)
	}
}

// TestServerLogNames: the words before the process differ by version and kind.
func TestServerLogNames(t *testing.T) {
	for _, what := range []string{"server process", "client backend",
		`background worker "logical replication launcher"`} {
		s := readServerLog("LOG:  " + what + " (PID 77) was terminated by signal 9: Killed\n")
		if !s.killed(77) {
			t.Errorf("%s: %v", what, s.deaths)
		}
	}
	if s := readServerLog("LOG:  server process (PID 77) was terminated by signal 11: Segmentation fault\n"); s.killed(
		77) {
		t.Error("a crash of another kind is taken for a kill")
	}
}

// TestServerLogOfARecoveryAtStart: a server that was stopped hard recovers when
// it starts, and that is no crash of this round.
func TestServerLogOfARecoveryAtStart(t *testing.T) {
	s := readServerLog(
		"LOG:  database system was not properly shut down; automatic recovery in progress\nLOG:  redo starts at " +
			"0/1\nLOG:  database system is ready to accept connections\n")
	if len(s.lines(false)) > 0 || s.restarted || s.ready {
		t.Errorf("%+v", s)
	}
}

const dump18 = `TopMemoryContext: 97680 total in 5 blocks; 12960 free (6 chunks); 84720 used
  PgStat Shared Ref: 4096 total in 3 blocks; 1112 free (2 chunks); 2984 used
    PortalContext: 1024 total in 1 blocks; 592 free (0 chunks); 432 used: <unnamed>
      ExecutorState: 33570864 total in 3 blocks; 8096 free (2 chunks); 33562768 used
        tuplestore tuples: 92274688 total in 21 blocks (2883538 chunks); 168 free (0 chunks); 92274520 used
  CacheMemoryContext: 1048576 total in 8 blocks; 408392 free (1 chunks); 640184 used
Grand total: 127228064 bytes in 265 blocks; 393320 free (298 chunks); 126834744 used
2026-11-21 12:55:00.004 UTC [3354] ERROR:  out of memory
2026-11-21 12:55:00.004 UTC [3354] DETAIL:  Failed on request of size 20 in memory context "tuplestore tuples".
2026-11-21 12:55:00.004 UTC [3354] STATEMENT:  select 1
2026-11-21 12:55:01.004 UTC [3354] ERROR:  out of memory
`

// TestServerLogOfARefusal: of the dump of memory contexts the state of the
// executor is shown, the one that held the most, and the sum.
func TestServerLogOfARefusal(t *testing.T) {
	all := strings.Split(strings.TrimSpace(dump18), "\n")
	want := []string{strings.TrimSpace(all[3]), strings.TrimSpace(all[4]), all[6], all[7], all[8], all[9]}
	if d := cmp.Diff(want, readServerLog(dump18).lines(true)); d != "" {
		t.Error(d)
	}
	// to 16 the rows are in ExecutorState itself, which is then reported once
	old := strings.ReplaceAll(strings.ReplaceAll(dump18, "33570864", "99999999"), "  tuplestore tuples: 92274688",
		"  TupleSort main: 4096")
	if got := readServerLog(old).lines(true); len(got) != 5 ||
		!strings.HasPrefix(got[0], "ExecutorState: 99999999 total") {
		t.Errorf("%q", got)
	}
}

// FuzzServerLog: whatever a log holds, what is shown are lines of it, and few.
func FuzzServerLog(f *testing.F) {
	f.Add(crashLog)
	f.Add(dump18)
	f.Add("ERROR:  out of memory\r\nDETAIL:  Failed on request of size 9\n\x1b[2J (PID 99999999999) was terminated " +
		"by signal 9")
	f.Fuzz(func(t *testing.T, text string) {
		s := readServerLog(text)
		for _, l := range s.lines(true) {
			if !strings.Contains(text, l) {
				t.Errorf("%q is not in the log", l)
			}
		}
		if len(s.refusal) > maxRefusal+1 || len(s.crash) > maxCrash {
			t.Errorf("%d and %d lines", len(s.refusal), len(s.crash))
		}
	})
}

const kernelText = `postgres invoked oom-killer: gfp_mask=0x400cc0(GFP_KERNEL_ACCOUNT), order=0, oom_score_adj=0
memory: usage 102400kB, limit 102400kB, failcnt 9
oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/other,task_memcg=/other,` +
	`task=postgres,pid=11,uid=101
Memory cgroup out of memory: Killed process 11 (postgres) total-vm:1kB
postgres invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
CPU: 1 PID: 12 Comm: postgres
memory: usage 262144kB, limit 262144kB, failcnt 0
oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a/pgfettle-oom-1-2,` +
	`task_memcg=/a/pgfettle-oom-1-2,task=postgres,pid=12,uid=101
Memory cgroup out of memory: Killed process 12 (postgres) total-vm:366324kB, anon-rss:247956kB
postgres invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a/pgfettle-oom-1-22,` +
	`task_memcg=/a/pgfettle-oom-1-22,task=postgres,pid=13,uid=101
Memory cgroup out of memory: Killed process 13 (postgres) total-vm:1kB
`

// TestKillLines: only what is about our group is shown, also where the name of
// another begins like it.
func TestKillLines(t *testing.T) {
	all := strings.Split(strings.TrimSpace(kernelText), "\n")
	want := []string{all[4], all[6], all[7], all[8]}
	if d := cmp.Diff(want, killLines(kernelText, "/sys/fs/cgroup/memory/a/pgfettle-oom-1-2")); d != "" {
		t.Error(d)
	}
	if got := killLines(kernelText, "/sys/fs/cgroup/none"); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func TestRecordOfTheKernelsLog(t *testing.T) {
	for in, want := range map[string]string{
		"4,1234,5678901,-;Out of memory; a=b\n SUBSYSTEM=mm\n": "Out of memory; a=b\n",
		"4,1,2,-;":       "\n",
		"no semicolon":   "",
		"6,1,2,-;x\\x1b": "x\\x1b\n",
	} {
		if got := textOf(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzKillLines(f *testing.F) {
	f.Add(kernelText)
	f.Add("Task in /a/pgfettle-oom-1-2 killed as a result of limit of /a/pgfettle-oom-1-2\nKilled process 3 (postgres)")
	f.Fuzz(func(t *testing.T, text string) {
		got := killLines(text, "/x/pgfettle-oom-1-2")
		if len(got) > 0 && !slices.ContainsFunc(got, func(l string) bool {
			return strings.Contains(l, "/pgfettle-oom-1-2")
		}) {
			t.Errorf("none of the lines is about the group: %q", got)
		}
		if len(got) > maxKills {
			t.Errorf("%d lines", len(got))
		}
	})
}
