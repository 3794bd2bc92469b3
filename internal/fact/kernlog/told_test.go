package kernlog

import (
	"fmt"
	"strings"
	"testing"
)

func readText(t *testing.T, text string) *Log {
	t.Helper()
	l, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestColumnsOfAPatch: a column that no kernel known has is passed over; the others are read by their names.
func TestColumnsOfAPatch(t *testing.T) {
	const rows = "[   2041]   999  2041   310200   120544    90210   991232        0             0 postgres\n" +
		"[   2077]   999  2077   310100    20480     1024   466944       12           100 postgres\n" +
		"Out of memory: Killed process 2041 (postgres) total-vm:1240800kB, anon-rss:460000kB, file-rss:2048kB, " +
		"shmem-rss:20128kB, UID:999 pgtables:968kB oom_score_adj:0\n"
	const head = "[  pid  ]   uid  tgid total_vm      rss (00)nrss  pgtables_bytes swapents oom_score_adj name\n"
	for name, text := range map[string]string{"with its header": head + rows, "without": rows} {
		l := readText(t, text)
		if len(l.Reports) != 1 || len(l.Reports[0].Table.Tasks) != 2 {
			t.Fatalf("%s: %s", name, dump(l))
		}
		if k := l.Reports[0].Table.Tasks[0]; k.PageTables != 991232 || k.RSS != 120544 {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

// TestNodesThatWereAllowed: a cpuset and a memory policy leave some nodes, of which the lines of the zones tell what
// was free, quoted in a mail or not.
func TestNodesThatWereAllowed(t *testing.T) {
	const text = "Node 2 active_anon:1448kB inactive_anon:0kB active_file:0kB inactive_file:0kB\n" +
		"Node 2 Movable free:90021408kB min:9140kB low:139160kB high:269180kB active_anon:1448kB managed:91023424kB\n" +
		"oom-kill:constraint=CONSTRAINT_%s,nodemask=%s,cpuset=vm,mems_allowed=%s,global_oom,task_memcg=/x,task=a," +
		"pid=41,uid=0\nOut of memory: Killed process 41 (a) total-vm:40kB, anon-rss:8kB, file-rss:4kB, shmem-rss:0kB\n"
	for _, c := range [][4]string{{"CPUSET", "(null)", "2", "2"}, {"MEMORY_POLICY", "1,4-5", "0-7", "1,4-5"},
		{"NONE", "(null)", "0-3", ""}} {
		plain := fmt.Sprintf(text, c[0], c[1], c[2])
		for _, s := range []string{plain, "> " + strings.ReplaceAll(strings.TrimSpace(plain), "\n", "\n> ") + "\n"} {
			l := readText(t, s)
			if len(l.Reports) != 1 || l.Reports[0].Nodes != c[3] || len(l.Reports[0].Zones) != 1 {
				t.Fatalf("%v: %s", c, dump(l))
			}
			if z := l.Reports[0].Zones[0]; z.Node != 2 || z.Name != "Movable" || z.Free>>10 != 90021408 {
				t.Errorf("%+v", z)
			}
		}
	}
}

// TestWholeHost: so the kernel panics only where the host has no memory.
func TestWholeHost(t *testing.T) {
	for text, want := range map[string]Constraint{
		"Kernel panic - not syncing: System is deadlocked on memory\n":                               Global,
		"Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled\n":           Global,
		"Kernel panic - not syncing: Out of memory: compulsory panic_on_oom is enabled\n":            Unclear,
		"Kernel panic - not syncing: Out of memory and no killable processes...\n":                   Global,
		"Out of memory and no killable processes...\n":                                               Unclear,
		"Task in /a killed as a result of limit of /a\nOut of memory and no killable processes...\n": Memcg,
	} {
		if l := readText(t, text); len(l.Reports) != 1 || l.Reports[0].Constraint != want {
			t.Errorf("%q: %s", text, dump(l))
		}
	}
}

// TestLinesWithoutEnds: a page put a report into one line, and there is no time to tell its lines apart.
func TestLinesWithoutEnds(t *testing.T) {
	const text = "You find this: ... Out of memory: Kill process 5511 (mongod) score 801 or sacrifice child Killed " +
		"process " +
		"5511 (mongod) total-vm:9001200kB, anon-rss:6200004kB, file-rss:0kB nginx invoked oom-killer: " +
		"gfp_mask=0x201da, order=0, oom_score_adj=0 nginx cpuset=/ mems_allowed=0 Pid: 812, comm: nginx Not tainted " +
		"2.6.32-431.el6.x86_64 #1 ... 3112 total pagecache pages 0 pages in swap cache Free swap  = 0kB Total swap = " +
		"1048572kB 2097151 pages RAM 53112 pages reserved\n"
	l := readText(t, text)
	if len(l.Reports) != 2 {
		t.Fatal(dump(l))
	}
	a, b := l.Reports[0], l.Reports[1]
	if len(a.Victims) != 1 || a.Score == nil || a.Victims[0].PID != 5511 || *a.Score != 801 || a.Constraint != Global {
		t.Error(dump(l))
	}
	if b.Asker.Name != "nginx" || b.Asker.PID != 812 || b.Kernel != "2.6.32-431.el6.x86_64" || *b.Info.RAM != 2097151 ||
		*b.Info.SwapTotal != 1048572<<10 {
		t.Error(dump(l))
	}
}

// TestBareFirstLine: where a person left out all but the words, the lines behind it show that it is one of a report.
func TestBareFirstLine(t *testing.T) {
	const rest = "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom\n"
	l := readText(t, "pg_dump invoked oom-killer\n"+rest)
	if len(l.Reports) != 1 || l.Reports[0].Asker.Name != "pg_dump" || len(l.Unread) > 0 {
		t.Errorf("%+v %s", l.Unread, dump(l))
	}
	l = readText(t, "pg_dump invoked oom-killer\n\nThat is all that I have.\n")
	if len(l.Reports) != 0 || len(l.Unread) != 1 {
		t.Errorf("alone: %+v %s", l.Unread, dump(l))
	}
	l = readText(t, "pg_dump invoked oom-killer\n\nHere it is:\n\n\n"+
		"[  12.500] pg_dump invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0\n")
	if len(l.Reports) != 1 || len(l.Unread) > 0 {
		t.Errorf("title: %+v %s", l.Unread, dump(l))
	}
	l = readText(t, "root@db3:~# journalctl -k --since today | grep -i \"oom-killer\"\n"+
		"sudo dmesg -T | egrep 'oom-killer'\n")
	if len(l.Unread) > 0 {
		t.Errorf("commands: %+v", l.Unread)
	}
}

// TestStateOfAFailedAllocation: what SLUB logs tells that the state above it is of no kill.
func TestStateOfAFailedAllocation(t *testing.T) {
	const text = "[  88.100] active_anon:1200 inactive_anon:300 isolated_anon:0\n[  88.200] Free swap  = 900kB\n" +
		"[  88.300] Total swap = 1000kB\n[  88.400] 500000 pages RAM\n" +
		"[  88.500] SLUB: Unable to allocate memory on node -1, gfp=0x900(GFP_NOWAIT|__GFP_ZERO)\n"
	l := readText(t, text)
	if len(l.Reports) != 0 || len(l.Other) != 1 || l.Other[0].Kind != AllocFail {
		t.Errorf("%+v %s", l.Other, dump(l))
	}
}

// TestPressureOfTheSliceAbove: systemd-oomd tells the pressure of the group that it watches, and kills one in it.
func TestPressureOfTheSliceAbove(t *testing.T) {
	const text = "Jan 08 10:11:12 pc systemd-oomd[840]: Killed %s due to memory pressure for %s being 71.20%% > " +
		"60.00%% for " +
		"> 30s with reclaim activity\n"
	const slice, one = "/user.slice/user-1.slice/user@1.service", "/user.slice/user-1.slice/user@1.service/app.scope"
	l := readText(t, fmt.Sprintf(text, one, slice))
	if len(l.Other) != 1 || l.Other[0].Of != slice || l.Other[0].For != "30s" || l.Other[0].Name != one {
		t.Errorf("%+v", l.Other)
	}
}

// TestEvictions: the kubelet ends a pod before the kernel has to.
func TestEvictions(t *testing.T) {
	const status = "Message: The node was low on resource: memory. Container db was using 2Gi, which exceeds its " +
		"request of 1Gi.\n"
	const newer = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 51200Ki. Container " +
		"db was " +
		"using 2097152Ki, request is 1Gi, has larger consumption of memory.\n"
	l := readText(t, status+newer+"The node was low on resource: ephemeral-storage. Container db was using 9Gi.\n")
	if len(l.Other) != 1 || l.Other[0].Kind != Evicted || l.Other[0].Name != "db" || *l.Other[0].Used != 2<<30 {
		t.Errorf("%+v", l.Other)
	}
	if l = readText(t, newer); len(l.Other) != 1 || l.Other[0].Left == nil || *l.Other[0].Left != 51200<<10 {
		t.Errorf("%+v", l.Other)
	}
}

// TestContainersInSentences: what docker inspect and kubectl show, quoted by a person.
func TestContainersInSentences(t *testing.T) {
	for text, want := range map[string]string{
		"`docker inspect shop-db` -> `Memory=536870912`, `OOMKilled=true`\n": "shop-db " +
			"512 MB",
		"We see `pg-main-1` with 7 restarts and `Last State: Terminated / Reason: OOMKilled` there.\n": "pg-main-1 -",
		"Is `Reason: OOMKilled` the right thing to look for, asked 'pg-main-1'?\n":                     " -",
	} {
		l := readText(t, text)
		if len(l.Other) != 1 || l.Other[0].Kind != ContainerKilled {
			t.Errorf("%q: %+v", text, l.Other)
			continue
		}
		limit := "-"
		if l.Other[0].Limit != nil {
			limit = l.Other[0].Limit.String()
		}
		if got := l.Other[0].Name + " " + limit; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]int{"State:{\nExitCode:137,\nOOMKilled:false,\n}\n": 1,
		"\"OOMKilled\": false,\n\"Dead\": false,\n\"ExitCode\": 137,\n": 1,
		"\"OOMKilled\": false,\n\"ExitCode\": 0,\n":                     0,
		"\"ExitCode\": 137,\n\"OOMKilled\": true,\n":                    0} {
		n := 0
		for _, o := range readText(t, text).Other {
			if o.Kind == ContainerSpared {
				n++
			}
		}
		if n != want {
			t.Errorf("%q: %d", text, n)
		}
	}
}

// TestKillsInSentences: a person tells of a kill; without the number of the process it may be a warning.
func TestKillsInSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Around noon the OOM killer killed postgres (pid 48213) and everything restarted.\n": "postgres 48213",
		"the kernel's oom-killer had terminated the process `mysqld` with PID 771.\n":        "mysqld 771",
		"java (PID 9001) was killed by the Linux OOM killer.\n":                              "java 9001",
		"At 2026-02-03T04:05:06Z walwriter [pid: 12] got OOM-killed\n":                       "walwriter 12",
		"If postgres is killed by the OOM killer, all sessions end.\n":                       "",
		"LOG:  the OOM killer killed postgres (pid 48213)\n":                                 "",
		"INSERT INTO log VALUES ('the OOM killer killed postgres (pid 48213)');\n":           "",
	} {
		got := ""
		for _, r := range readText(t, text).Reports {
			got += fmt.Sprintf("%s %d", r.Victims[0].Name, r.Victims[0].PID)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestReleaseBesideTheReport: what tells the kernel may stand near a report that is cut before it.
func TestReleaseBesideTheReport(t *testing.T) {
	const kill = "Mar  3 08:01:02 s kernel: Out of memory: Killed process 7 (a) total-vm:7kB, anon-rss:2kB, " +
		"file-rss:0kB\n"
	for text, want := range map[string]string{
		"Linux db1 5.15.0-91-generic #101-Ubuntu SMP x86_64 GNU/Linux\n" + kill:        "5.15.0-91-generic",
		kill + "[root@db1 ~]# uname -r\n4.18.0-477.el8.x86_64\n":                       "4.18.0-477.el8.x86_64",
		"root@db1:~# uname -a; dmesg\n" + "Linux db1 6.1.0-18-amd64 #1 SMP\n" + kill:   "6.1.0-18-amd64",
		"- **Kernel version**: `6.8.5-arch1-1`\n" + kill:                               "6.8.5-arch1-1",
		"OS: CentOS 6.10\nKernel/CPU: 2.6.32-754.el6.x86_64 x86_64 xen pv\n" + kill:    "2.6.32-754.el6.x86_64",
		"[    0.000000] Linux version 6.6.7-200.fc39.x86_64 (mockbuild@x) #1\n" + kill: "6.6.7-200.fc39.x86_64",
		"Kernel: 6.1.0\nKernel: 6.8.0\n" + kill:                                        "",
	} {
		if l := readText(t, text); len(l.Reports) != 1 || l.Reports[0].Kernel != want {
			t.Errorf("%q: %s", text, dump(l))
		}
	}
}

// TestTimeOfAnEvent: the fields with the time of an event are called otherwise, and stand before its message or behind.
func TestTimeOfAnEvent(t *testing.T) {
	const message = `"message": "Memory cgroup out of memory: Killed process 51 (kubectl) total-vm:812044kB, ` +
		`anon-rss:61440kB, file-rss:30720kB, shmem-rss:0kB, UID:0 pgtables:312kB oom_score_adj:999",` + "\n"
	const at = `"lastTimestamp": "2026-01-13T09:10:11Z",` + "\n"
	for _, text := range []string{message + at, at + message, "{\n  " + message + "  \"source\": {},\n  " + at,
		`"eventTime": null,` + "\n" + message + at} {
		l := readText(t, text)
		if len(l.Reports) != 1 || l.Reports[0].At.Wall.IsZero() {
			t.Errorf("%q: %s", text, dump(l))
		}
	}
}

// TestLimitOfADescribedContainer: kubectl describe shows the limits below why a container ended, then the requests.
func TestLimitOfADescribedContainer(t *testing.T) {
	const text = "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n" +
		"      Finished:     Mon, 02 Feb 2026 07:08:09 +0000\n    Ready:          True\n    Restart Count:  5\n" +
		"    Limits:\n      cpu:     2\n      memory:  768Mi\n    Requests:\n      cpu:     1\n      memory:  256Mi\n"
	for s, want := range map[string]string{text: "768 MB", strings.Replace(text, "Limits:", "Given:", 1): ""} {
		l := readText(t, s)
		got := ""
		if len(l.Other) != 1 || l.Other[0].At.Wall.IsZero() {
			t.Fatalf("%+v", l.Other)
		}
		if l.Other[0].Limit != nil {
			got = l.Other[0].Limit.String()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestOthersThatKill: what runc says, and earlyoom behind a time with a colon.
func TestOthersThatKill(t *testing.T) {
	for text, want := range map[string]Kind{
		"Error: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container " +
			"process: container init was OOM-killed (memory limit too low?): unknown\n": ContainerKilled,
		"Feb 12 21:04:55: sending SIGTERM to process 4120 uid 998 \"gitaly\": badness 803, VmRSS 912 MiB\n": EarlyOOM,
	} {
		if l := readText(t, text); len(l.Other) != 1 || l.Other[0].Kind != want {
			t.Errorf("%q: %+v", text, l.Other)
		}
	}
	if l := readText(t, "The output of the oom-killer:\n"); len(l.Unread) > 0 {
		t.Errorf("%+v", l.Unread)
	}
}
