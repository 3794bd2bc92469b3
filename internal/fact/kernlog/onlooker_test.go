package kernlog

import (
	"strings"
	"testing"
)

// TestOnlookers holds that a kill is found where others than the kernel's report tell of it, once, and never twice
// where the kernel does.
func TestOnlookers(t *testing.T) {
	const kernel = "Memory cgroup out of memory: Killed process 411 (postgres) total-vm:9kB, anon-rss:8kB, " +
		"file-rss:1kB\n"
	for _, c := range []struct {
		text   string
		pids   []int
		asker  string
		global bool
	}{
		{"41m  Warning  SystemOOM  node/w2  System OOM encountered, victim process: Web Content, pid: 411\n",
			[]int{411}, "", true},
		{"  Warning  SystemOOM  3m (x2 over 5m)  kubelet  System OOM encountered, victim process: postgres, " +
			"pid: 411\n" +
			kernel, []int{411}, "", false},
		{kernel + "message: 'System OOM encountered, victim process: postgres, pid: 411'\n", []int{411}, "", false},
		{"16:33:23 Triggered by PID 12 (\"pgbouncer\"), OOM kill of PID 411 (\"postgres\"), 99 pages, " +
			"loadavg: 1 2 3 4/5 6\n",
			[]int{411}, "pgbouncer", false},
		{"oom_reaper: reaped process 411 (postgres), now anon-rss:0kB, file-rss:0kB, shmem-rss:4kB\n" +
			"Jan 1 00:00:00 h kernel: oom_reaper: unable to reap pid:412 (java)\n", []int{411, 412}, "", false},
		{kernel + "oom_reaper: reaped process 411 (postgres), now anon-rss:0kB, file-rss:0kB, shmem-rss:4kB\n",
			[]int{411}, "", false},
		{"2026-01-01 00:00:00 UTC [1] LOG:  statement: SELECT 'System OOM encountered, victim process: x, " +
			"pid: 4'\n", nil, "", false},
	} {
		l, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, r := range l.Reports {
			got = append(got, r.Victims[0].PID)
		}
		if len(got) != len(c.pids) {
			t.Errorf("%s: %v", c.text, got)
			continue
		}
		for i := range got {
			if got[i] != c.pids[i] {
				t.Errorf("%s: %v", c.text, got)
			}
		}
		if len(got) == 0 {
			continue
		}
		if r := l.Reports[0]; r.Asker.Name != c.asker || (r.Constraint == Global) != c.global {
			t.Errorf("%s: %+v", c.text, r)
		}
	}
}

// TestUserSpace holds what programs of user space and container runtimes tell, and that what only has the word is none.
func TestUserSpace(t *testing.T) {
	for text, want := range map[string]Other{
		`Apr 21 15:40:12 h earlyoom[612]: sending SIGTERM to process 331 uid 114 "postgres": oom_score 1180, ` +
			`VmRSS 9120 MiB, cmdline "x"`: {Kind: EarlyOOM, Name: "postgres", PID: 331, Signal: "SIGTERM"},
		`sending SIGKILL to process 331 uid 114 "postgres": badness 812, VmRSS 9120 MiB`: {Kind: EarlyOOM,
			Name: "postgres", PID: 331, Signal: "SIGKILL"},
		`sending SIGTERM to process 12006 "python3": badness 209, VmRSS 2891 MiB`: {Kind: EarlyOOM, Name: "python3",
			PID: 12006, Signal: "SIGTERM"},
		"      Reason:       OOMKilled":                          {Kind: ContainerKilled},
		`            "reason": "OOMKilled",`:                     {Kind: ContainerKilled},
		"        reason: OOMKilled":                              {Kind: ContainerKilled},
		"pg-0   0/1   OOMKilled   4 (2m ago)   3h":               {Kind: ContainerKilled, Name: "pg-0"},
		"shop   pg-0   0/1   OOMKilled   4   3h":                 {Kind: ContainerKilled, Name: "pg-0"},
		`"OOMKilled": true,`:                                     {Kind: ContainerKilled},
		`"OOMKilled": false,`:                                    {},
		"I think that it was OOMKilled by somebody, was it not?": {},
	} {
		l, err := Read(strings.NewReader(text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		got := Other{}
		if len(l.Other) == 1 {
			got = l.Other[0]
		}
		if got.Kind != want.Kind || got.Name != want.Name || got.PID != want.PID || got.Signal != want.Signal ||
			len(l.Reports) > 0 {
			t.Errorf("%s: %+v", text, l)
		}
	}
}

// TestPanics holds that a panic is told with its reason.
func TestPanics(t *testing.T) {
	const head = "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
	for text, want := range map[string]struct{ set, none bool }{
		"Out of memory: system-wide panic_on_oom is enabled": {true, false},
		"Out of memory: compulsory panic_on_oom is enabled":  {true, false},
		"System is deadlocked on memory":                     {false, true},
		"Out of memory and no killable processes...":         {false, true},
		"Out of memory": {false, false},
	} {
		l, err := Read(strings.NewReader(head + "Kernel panic - not syncing: " + text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 || !l.Reports[0].Panic || l.Reports[0].PanicOnOOM != want.set ||
			l.Reports[0].NoVictim != want.none {
			t.Errorf("%s: %+v", text, l.Reports)
		}
	}
}

// TestMarked holds the words of systemd-oomd before and since 258.
func TestMarked(t *testing.T) {
	for _, words := range []string{"Killed /a/b.service due to", "Marked /a/b.service for killing due to"} {
		l, err := Read(strings.NewReader("Sep 02 08:14:30 h systemd-oomd[9]: " + words +
			" memory pressure for /a being 71.20% > 60.00% for > 30s with reclaim activity\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Other) != 1 || l.Other[0].Why != MemoryPressure || l.Other[0].Pressure == nil ||
			*l.Other[0].Pressure != 71.2 || l.Other[0].Name != "/a/b.service" {
			t.Errorf("%s: %+v", words, l.Other)
		}
	}
}
