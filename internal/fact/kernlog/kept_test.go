package kernlog

import (
	"fmt"
	"strings"
	"testing"
)

// keptKill is what the first report of a log tells of a kill.
func keptKill(l *Log) string {
	if len(l.Reports) == 0 {
		return ""
	}
	r := &l.Reports[0]
	text := fmt.Sprintf("%d %s", len(l.Reports), r.At.Text)
	if len(r.Victims) > 0 {
		v := r.Victims[0]
		text += fmt.Sprintf(" %d %s %d", v.PID, v.Name, v.UID)
		if v.Anon != nil {
			text += " " + v.Anon.String()
		}
		if v.Adj != nil {
			text += fmt.Sprintf(" adj %d", *v.Adj)
		}
	}
	return text
}

// TestKillsAsKept holds lines of a kill as people keep them: in the source of programs, cut, retyped, folded.
func TestKillsAsKept(t *testing.T) {
	const killed = "Out of memory: Killed process 7123 (ingest) total-vm:9437184kB, anon-rss:4194304kB, file-rss:0kB"
	for name, c := range map[string]struct{ text, want string }{
		"boot time of three digits": {"[  812.447] " + killed, "1 [  812.447] 7123 ingest -1 4 GB"},
		"no year":                   {"[Wed Feb  3 07:12:09] " + killed, "1 Wed Feb  3 07:12:09 7123 ingest -1 4 GB"},
		"a bracketed time": {"[2027-02-03 07:12:09 UTC] kernel: " + killed,
			"1 2027-02-03 07:12:09 UTC 7123 ingest -1 4 GB"},
		"a string of a program": {"\t\t\ttext: \"2027-02-03T07:12:09+00:00 w3 kernel: " + killed + "\",",
			"1 2027-02-03T07:12:09+00:00 7123 ingest -1 4 GB"},
		"of Talos, turned around": {"    line: \"kern:     err: [2027-02-03T07:12:09.25Z]: Memory cgroup out of " +
			"memory: " +
			"Killed process 88 (deno) total-vm:800kB, anon-rss:512kB\",\n    line: \"kern:    info: " +
			"[2027-02-03T07:12:09.24Z]: " +
			"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task=deno,pid=88,uid=33\",",
			"1 2027-02-03T07:12:09.25Z 88 deno 33 512 kB"},
		"a bracket in the name": {"[  90.5000] Memory cgroup out of memory: Killed process 52 (site-gen (v9) " +
			"total-vm:900kB, anon-rss:128kB, file-rss:4kB", "1 [  90.5000] 52 site-gen (v9 -1 128 kB"},
		"its number left out": {"Memory cgroup out of memory: Kill process ... (solver)\n" +
			"Killed process ... total-vm:900kB, anon-rss:256kB", "1  0 solver -1 256 kB"},
		"folded behind the user": {"[  90.500000] " + killed + ", shmem-rss:0kB, UID:33\npgtables:96kB " +
			"oom_score_adj:250",
			"1 [  90.500000] 7123 ingest 33 4 GB adj 250"},
		"of FreeBSD": {"Feb  3 07:12:09 fb kernel: pid 811 (postgres), jid 0, uid 770, was killed: out of swap space",
			"1 Feb  3 07:12:09 811 postgres 770"},
	} {
		l, err := Read(strings.NewReader(c.text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := keptKill(l); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// TestOthersAsKept holds what programs besides the kernel tell, without what stood before it.
func TestOthersAsKept(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a unit alone, with its peak": {"render.slice: Consumed 2h 5min CPU time, 12.5G memory peak.\n" +
			"render.slice: A process of this unit has been killed by the OOM killer.",
			"unit_killed render.slice 12.5 GB"},
		"earlyoom that finds none": {"08:14:05 earlyoom: mem avail: 12 of 64211 MiB (0.02%), swap free 3/8191\n" +
			"08:14:05 earlyoom: low memory! at or below SIGTERM limits\n" +
			"08:14:05 earlyoom: Could not find a process to kill", "earlyoom_none  12 MB of 62.7 GB"},
		"earlyoom that escalates": {"sending SIGTERM to process 51 uid 33 \"ffmpeg\": oom_score 700, VmRSS 900 MiB\n" +
			"escalating to SIGKILL after 0.5 seconds", "earlyoom ffmpeg SIGKILL escalated"},
		"an event of containerd": {`level=info msg="TaskOOM event container_id:\"ab12cd34ef56\" exited"`,
			"container_killed ab12cd34ef56"},
		"Slurm": {"slurmstepd: error: Detected 3 oom_kill events in StepId=4411.batch. Some of the step tasks have " +
			"been OOM Killed.", "slurm_killed 4411.batch"},
	} {
		l, err := Read(strings.NewReader(c.text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, o := range l.Other {
			got += fmt.Sprintf("%s %s", o.Kind, o.Name)
			if o.Peak != nil {
				got += " " + o.Peak.String()
			}
			if o.Level != nil {
				got += fmt.Sprintf(" %s of %s", o.Level.Available, o.Level.Total)
			}
			if o.Escalated {
				got += " " + o.Signal + " escalated"
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// TestAskedBefore holds that a kill is a person's where it follows the request, and not where its time is before it.
func TestAskedBefore(t *testing.T) {
	for at, want := range map[string]bool{"[ 700.100000]": true, "[  91.100000]": false} {
		l, err := Read(strings.NewReader("[ 700.000000] sysrq: Manual OOM execution\n\n" + at +
			" viewer invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 || l.Reports[0].Manual != want {
			t.Errorf("%s: %+v", at, l.Reports)
		}
	}
}

// TestCandidatesOfOomd: the list of what systemd-oomd could kill is one event with the first of it, and no kill.
func TestCandidatesOfOomd(t *testing.T) {
	const head = "Feb 03 07:12:09 db7 systemd-oomd[611]: "
	text := ""
	for _, s := range []string{"Considered 9 cgroups for killing, top candidates were:",
		"\tPath: /system.slice/system-postgresql.slice", "\t\tMemory Pressure Limit: 0.00%",
		"\t\tPressure: Avg10: 71.20 Avg60: 40.10 Avg300: 12.00 Total: 9s", "\t\tCurrent Memory Usage: 6.1G",
		"\tPath: /system.slice/cron.service"} {
		text += head + s + "\n"
	}
	l, err := Read(strings.NewReader(text))
	if err != nil || len(l.Reports) != 0 || len(l.Other) != 1 {
		t.Fatalf("%v: %+v", err, l)
	}
	if o := l.Other[0]; o.Kind != OomdLooked || o.Cgroups != 9 || o.Name != "/system.slice/system-postgresql.slice" ||
		!strings.Contains(o.Text, "6.1G") || strings.Contains(o.Text, "cron") {
		t.Errorf("%+v", o)
	}
}

// TestAskedKill: what follows a request at once is its kill, also without its first lines; what follows on another day
// is not.
func TestAskedKill(t *testing.T) {
	const killed = "Out of memory: Killed process 7123 (ingest) total-vm:9437184kB, anon-rss:4194304kB, file-rss:0kB\n"
	for text, want := range map[string]bool{
		"[ 812.447112] sysrq: Manual OOM execution\n[ 812.447990] " + killed: true,
		"[ 812.447112] sysrq: Manual OOM execution\n[ 999.447990] " + killed: false,
		"2027-02-03T07:12:09+00:00 db7 kernel: sysrq: SysRq : Manual OOM execution\n" +
			"2027-02-03T07:12:09+00:00 db7 kernel: " + killed: true,
		"2027-02-03T07:12:09+00:00 db7 kernel: sysrq: SysRq : Manual OOM execution\n" +
			"2027-02-04T07:12:09+00:00 db7 kernel: " + killed: false,
	} {
		l, err := Read(strings.NewReader(text))
		if err != nil || len(l.Reports) != 1 || len(l.Other) != 1 || l.Other[0].Kind != AskedKill {
			t.Fatalf("%q: %v %+v", text, err, l)
		}
		if l.Reports[0].Manual != want {
			t.Errorf("%q: asked for: %v, not %v", text, !want, want)
		}
	}
}
