package kernlog

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestStated holds that what a text states in addition to its logs is read, and that what is used, wanted, or left is
// not taken for what there is.
func TestStated(t *testing.T) {
	const kill = "\n[12.500] Memory cgroup out of memory: Killed process 411 (java) total-vm:9kB, anon-rss:8kB\n"
	bytesOf := func(b *unit.Bytes) unit.Bytes {
		if b == nil {
			return 0
		}
		return *b
	}
	for _, c := range []struct {
		text             string
		ram, swap, limit unit.Bytes
		kills, restarts  int
	}{
		{"Our database host has 96GB RAM and 8 GB swap.", 96 * unit.GB, 8 * unit.GB, 0, 0, 0},
		{"The VM has 16 GB of memory", 16 * unit.GB, 0, 0, 0, 0},
		{"on a 32GB machine", 32 * unit.GB, 0, 0, 0, 0},
		{"    Requests:\n      memory:  700Mi\n    Memory: 500Mi", 0, 0, 0, 0, 0},
		{"Memory: 64 GB", 64 * unit.GB, 0, 0, 0, 0},
		{"- RAM: 64 GiB", 64 * unit.GB, 0, 0, 0, 0},
		{"java uses 12GB RAM of it", 0, 0, 0, 0, 0},
		{"there were still 3 GB RAM free", 0, 0, 0, 0, 0},
		{"it needs at least 4GB RAM", 0, 0, 0, 0, 0},
		{"web has 8GB RAM\ndb has 64GB RAM", 0, 0, 0, 0, 0},
		{"the pod has a memory limit of 4Gi and was OOM killed 17 times", 0, 0, 4 * unit.GB, 17, 0},
		{"started with systemd-run -p MemoryMax=12G", 0, 0, 12 * unit.GB, 0, 0},
		{"docker run --memory 3g postgres:17", 0, 0, 3 * unit.GB, 0, 0},
		{"capped at `1500Mi`", 0, 0, 1500 * unit.MB, 0, 0},
		{"we should raise the limit to 8Gi", 0, 0, 0, 0, 0},
		{"    Limits:\n      cpu: 1\n      memory:  700Mi\n    Requests:\n      memory: " +
			"100Mi", 0, 0, 700 * unit.MB, 0, 0},
		{"41 OOM kills since Monday, the pod restarted 12 times", 0, 0, 0, 41, 12},
		{"dmesg has 23 oom-killer events", 0, 0, 0, 23, 0},
		{"    Restart Count:  9", 0, 0, 0, 0, 9},
		{"db-0  0/1  OOMKilled   4 (2m ago)   3h", 0, 0, 0, 0, 4},
		{"memory: usage 524288kB, limit 524288kB, failcnt 3", 0, 0, 0, 0, 0},
	} {
		s := readText(t, c.text+kill).Stated
		if bytesOf(s.RAM) != c.ram || bytesOf(s.Swap) != c.swap || bytesOf(s.Limit) != c.limit || s.Kills != c.kills ||
			s.Restarts != c.restarts {
			t.Errorf("%s: RAM %v swap %v limit %v kills %d restarts %d", c.text, bytesOf(s.RAM), bytesOf(s.Swap),
				bytesOf(s.Limit), s.Kills, s.Restarts)
		}
	}
}

// TestStatedPod holds that the place of a pod is read from what kubectl shows.
func TestStatedPod(t *testing.T) {
	for _, text := range []string{
		"Name:         shop-db-0\nNamespace:    shop\nNode:         worker-3/10.0.0.7\n",
		"  Normal  Scheduled  45s  default-scheduler  Successfully assigned shop/shop-db-0 to worker-3\n",
	} {
		if s := readText(t, text).Stated; s.Pod != "shop-db-0" || s.Namespace != "shop" || s.Node != "worker-3" {
			t.Errorf("%s: %+v", text, s)
		}
	}
}

// TestExit137 holds that the exit code is read with its reason and its time, and in sentences.
func TestExit137(t *testing.T) {
	for text, reason := range map[string]string{
		"lastState:\n  terminated:\n    exitCode: 137\n    finishedAt: \"2026-03-30T12:44:10Z\"\n    reason: " +
			"Error\n": "Error",
		"##[error]Process completed with exit code 137.\n": "",
		"db-1 exited with code 137\n":                      "",
		"the job died with exit status 137\n":              "",
	} {
		e := readText(t, text).Stated.Exit
		if e == nil || e.Reason != reason || reason != "" && e.At.Wall.IsZero() {
			t.Errorf("%s: %+v", text, e)
		}
	}
	if e := readText(t, "exit code 1, 137 tests passed\n").Stated.Exit; e != nil {
		t.Errorf("%+v", e)
	}
}

// TestEvents holds that what an event of Kubernetes has in addition to the message of the kernel is kept.
func TestEvents(t *testing.T) {
	const kernel = "Memory cgroup out of memory: Kill process 411 (java) score 1900 or sacrifice child\n" +
		"Killed process 411 (java) total-vm:900kB, anon-rss:800kB, file-rss:4kB, shmem-rss:0kB\n"
	for before, want := range map[string]Event{
		"  Warning  OOMKilling  49m   kernel-monitor, node-7  ":            {"49m", "kernel-monitor", "node-7"},
		"  Warning  OOMKilling  3m (x4 over 2h)  kernel-monitor, node-7  ": {"3m", "kernel-monitor", "node-7"},
		"  Warning  OOMKilling  3m  kernel-monitor  ":                      {"3m", "kernel-monitor", ""},
		"49m  Warning  OOMKilling  node/node-7  ":                          {"49m", "", "node-7"},
	} {
		l := readText(t, before+kernel)
		if len(l.Reports) != 1 || l.Reports[0].Event == nil || *l.Reports[0].Event != want {
			t.Errorf("%s: %s", before, dump(l))
		}
	}
	if l := readText(t, kernel); l.Reports[0].Event != nil {
		t.Errorf("%+v", l.Reports[0].Event)
	}
	l := readText(t,
		"Oct 10 17:41:58 node-7 kubelet[4991]: I1010 17:41:57.858757    4991 manager.go:1126] Created an OOM "+
			"event in container \"/kubepods/burstable/pod9/1f2a\" at 2017-10-10 17:41:58 +0000 UTC\n")
	if len(l.Other) != 1 || l.Other[0].Kind != KubeletSaw || l.Other[0].Name != "/kubepods/burstable/pod9/1f2a" {
		t.Errorf("%+v", l.Other)
	}
}

// TestDenied holds that a line that says that there was no kill mentions none.
func TestDenied(t *testing.T) {
	for text, mention := range map[string]bool{
		"The OOM killer never fired.\n":                              false,
		"dmesg has no oom-kill lines at all\n":                       false,
		"our backend got OOM-killed on Friday\n":                     true,
		"# the server and the OOM killer (killed with oom-killer)\n": true,
	} {
		l := readText(t, text)
		if (l.Mention != "") != mention || len(l.Unread) > 0 {
			t.Errorf("%s: %q %+v", text, l.Mention, l.Unread)
		}
	}
}

// TestOomdFound holds that what systemd-oomd found is read where the line of its kill is missing.
func TestOomdFound(t *testing.T) {
	const head = "Mar 29 01:08:45 h systemd-oomd[1003]: "
	for text, want := range map[string]Other{
		"Memory pressure for /user.slice is greater than 10 for more than 10 seconds and there was reclaim activity": {
			Why: MemoryPressure, Of: "/user.slice", For: "10s", Most: percent("10")},
		"Memory pressure for /a.slice is 61.20% > 50.00% for > 20s with reclaim activity": {
			Why: MemoryPressure, Of: "/a.slice", For: "20s", Most: percent("50"), Pressure: percent("61.2")},
		"Swap used (9000) / total (10000) is more than 90%": {Why: SwapUsed, Used: wholeBytes("9000"),
			Total: wholeBytes("10000")},
	} {
		l := readText(t, head+text+"\n")
		if len(l.Other) != 1 {
			t.Fatalf("%s: %+v", text, l.Other)
		}
		o := l.Other[0]
		same := func(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }
		if o.Kind != OomdOver || o.Why != want.Why || o.Of != want.Of || o.For != want.For ||
			!same(o.Most, want.Most) ||
			!same(o.Pressure, want.Pressure) || !sameSize(o.Used, want.Used) || !sameSize(o.Total, want.Total) {
			t.Errorf("%s: %+v", text, o)
		}
	}
}

// TestAskerShownOnceMore holds that the first line of a report that a person shows below it to explain it is none of
// another run.
func TestAskerShownOnceMore(t *testing.T) {
	const report = "Jul 15 23:44:32 h kernel: [   2073]     0  2073    54876      537    69632        0         " +
		"    0 make\n" +
		"Jul 15 23:44:32 h kernel: Out of memory: Killed process 2074 (eater) total-vm:6295848kB, anon-rss:1872532kB\n"
	for line, reports := range map[string]int{"Jul 15 23:44:32": 1, "Jul 15 23:59:32": 2} {
		l := readText(t, report+"```\n## what it means\n```\n"+line+" h kernel: eater invoked oom-killer: "+
			"gfp_mask=0x6280ca, "+
			"order=0, oom_score_adj=0\n```\n")
		if len(l.Reports) != reports || reports == 1 && l.Reports[0].Asker.Name != "eater" {
			t.Errorf("%s: %s", line, dump(l))
		}
	}
}

// TestEarlyoomSawLittle holds that earlyoom's view of the memory is kept if it sent no signal.
func TestEarlyoomSawLittle(t *testing.T) {
	const level = "mars 27 19:46:06 h earlyoom[1460]: mem avail:    56 of 15881 MiB ( 0.35%), swap free: 2555 " +
		"of 4095 MiB " +
		"(62.38%)\n"
	for text, n := range map[string]int{level: 1, strings.Replace(level, "   56", "15342", 1): 0,
		level + "mars 27 19:46:07 h earlyoom[1460]: sending SIGTERM to process 411 uid 1 \"java\": badness 5, " +
			"VmRSS 9 MiB\n": 0} {
		low := 0
		for _, o := range readText(t, text).Other {
			if o.Kind == EarlyLow {
				low++
			}
		}
		if low != n {
			t.Errorf("%s: %d", text, low)
		}
	}
}
