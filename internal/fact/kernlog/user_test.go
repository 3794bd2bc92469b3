package kernlog

import (
	"strings"
	"testing"
)

// TestUserSpaceWords holds that kills by programs of user space are read in the words of their versions.
func TestUserSpaceWords(t *testing.T) {
	for _, c := range []struct {
		text   string
		kind   Kind
		name   string
		pid    int
		signal string
		stays  bool
	}{
		{"killing process 411 \"java\" with signal 15: badness 5, VmRSS 7609 MiB\n", EarlyOOM, "java", 411,
			"SIGTERM", false},
		{"Killing process 'my app' with signal 9, pid: 411, badness: 538, VmRSS: 3160 MiB\n", EarlyOOM, "my app", 411,
			"SIGKILL", false},
		{"Jan 1 00:00:00 h earlyoom[1]: sending SIGTERM to process 411 uid 1 \"java\": oom_score 1, VmRSS 4 MiB\n" +
			"Jan 1 00:00:10 h earlyoom[1]: process 411 did not exit\n", EarlyOOM, "java", 411, "SIGTERM", true},
		{"Jan 1 00:00:00 h earlyoom[1]: sending SIGTERM to process 411 uid 1 \"java\": oom_score 1, VmRSS 4 MiB\n" +
			"Jan 1 00:00:10 h earlyoom[1]: process 412 did not exit\n", EarlyOOM, "java", 411, "SIGTERM", false},
		{"10.0.0.4: user: warning: [2026-01-12T20:27:31.913975631Z]: [talos] Sending SIGKILL to cgroup {" +
			"\"component\": \"controller-runtime\", " +
			"\"cgroup\": \"/sys/fs/cgroup/kubepods/besteffort/pod7\"}\n", TalosKilled,
			"/kubepods/besteffort/pod7", 0, "", false},
	} {
		l, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Other) != 1 {
			t.Errorf("%s: %+v", c.text, l.Other)
			continue
		}
		o := l.Other[0]
		if o.Kind != c.kind || o.Name != c.name || o.PID != c.pid || o.Signal != c.signal || o.Stays != c.stays {
			t.Errorf("%s: %+v", c.text, o)
		}
		if c.kind == TalosKilled && o.At.Wall.IsZero() {
			t.Errorf("no time: %+v", o.At)
		}
	}
}

// TestTogether holds that the line of a kill and a table that a person put behind it are one report, and those of
// other seconds are not.
func TestTogether(t *testing.T) {
	const table = " h kernel: [ pid ] uid tgid total_vm rss pgtables_bytes swapents oom_score_adj name\n"
	for at, reports := range map[string]int{"Jan  1 00:00:03": 1, "Jan  1 00:01:03": 2} {
		l, err := Read(strings.NewReader("Jan  1 00:00:04 h kernel: Out of memory: Killed process 411 (postgres) " +
			"total-vm:9kB, anon-rss:8kB, file-rss:1kB, shmem-rss:0kB\nsome words\n" + at + table + at +
			" h kernel: [ 412] 26 412 100 10 4096 0 0 postgres\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != reports || l.Reports[0].Victims[0].PID != 411 {
			t.Errorf("%s: %+v", at, l.Reports)
		}
		if reports == 1 && len(l.Reports[0].Table.Tasks) != 1 {
			t.Errorf("no table: %+v", l.Reports[0])
		}
	}
}
