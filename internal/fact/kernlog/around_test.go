package kernlog

import (
	"strconv"
	"strings"
	"testing"
)

// TestWhenContainerEnded holds that the time of a container's end is that of its kill, before the reason or behind it,
// and of no other container.
func TestWhenContainerEnded(t *testing.T) {
	for _, c := range []struct{ text, time string }{
		{"  lastState:\n    terminated:\n      exitCode: 137\n      finishedAt: \"2026-03-30T12:44:10Z\"\n" +
			"      reason: OOMKilled\n      startedAt: \"2026-03-30T09:01:55Z\"\n", "2026-03-30T12:44:10Z"},
		{"    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n" +
			"      Started:      Mon, 30 Mar 2026 09:01:55 +0000\n" +
			"      Finished:     Mon, 30 Mar 2026 12:44:10 +0000\n", "Mon, 30 Mar 2026 12:44:10 +0000"},
		{"            \"OOMKilled\": true,\n            \"Dead\": false,\n            \"Pid\": 0,\n" +
			"            \"ExitCode\": 137,\n            \"Error\": \"\",\n" +
			"            \"StartedAt\": \"2026-03-30T09:01:55.1Z\",\n" +
			"            \"FinishedAt\": \"2026-03-30T12:44:10.2Z\"\n", "2026-03-30T12:44:10.2Z"},
		{"pg-0   0/1   OOMKilled   4 (2m ago)   3h\n" + strings.Repeat("x\n", 20) +
			"finishedAt: \"2026-03-30T12:44:10Z\"\n", ""},
		{"reason: OOMKilled\nfinishedAt: \"0001-01-01T00:00:00Z\"\n", ""},
	} {
		l, err := Read(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Other) != 1 || l.Other[0].Kind != ContainerKilled || l.Other[0].At.Text != c.time {
			t.Errorf("%q: %+v", c.text, l.Other)
		}
	}
}

// TestFlattened holds that a report is read whose lines a page has put into one, with whatever syslog or the journal
// put before each, and with words about it.
func TestFlattened(t *testing.T) {
	for _, before := range []string{"Sep  9 02:00:07 pg12 kernel: ", "Sep 9 02:00:07 pg12 kernel: [70110.200000] ",
		"2026-09-09T02:00:07.100000+02:00 pg12 kernel: ", "2026-09-09T02:00:07+0200 pg12 kernel: [70110.200000] "} {
		var b strings.Builder
		b.WriteString("What does it mean? ")
		for _, s := range small {
			b.WriteString(before + strings.Join(strings.Fields(s), " ") + " ")
		}
		l, err := Read(strings.NewReader(b.String() + "Any help is welcome."))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 {
			t.Errorf("%q: %+v", before, l.Reports)
			continue
		}
		r := l.Reports[0]
		if r.Kernel != "6.1.0-44-amd64" || r.Asker.PID != 5120 || len(r.Victims) != 1 || r.Victims[0].PID != 5120 ||
			len(r.Table.Tasks) != 2 || r.Info == nil || r.Info.RAM == nil || !strings.Contains(r.At.Text, "02:00:07") {
			t.Errorf("%q: %+v", before, r)
		}
	}
}

// TestFlags holds that a release is read behind the flags of kernels that print dashes for those that they lack.
func TestFlags(t *testing.T) {
	for _, s := range []string{"Not tainted", "Not tainted --------- -  -", "Tainted: G           OE    --------- -  -",
		"Tainted: G               ------------ T", "Kdump: loaded Tainted: P        W  OE"} {
		l, err := Read(strings.NewReader(small[0] + "\nCPU: 1 PID: 5120 Comm: postgres " + s + " 4.18.0-553.el8 #1\n" +
			small[len(small)-1] + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 || l.Reports[0].Kernel != "4.18.0-553.el8" || l.Reports[0].Asker.PID != 5120 {
			t.Errorf("%s: %+v", s, l.Reports)
		}
	}
}

// TestServersAround holds that lines of a server are handed on whatever has its name before them, and none of others.
func TestServersAround(t *testing.T) {
	const died = "LOG:  server process (PID 4410) was terminated by signal 9: Killed"
	const object = `{"timestamp":"2026-01-15 22:10:08.402 UTC","pid":22,"error_severity":"LOG","message":"x"}`
	for _, c := range []struct {
		text string
		want string
	}{
		{"Jan 15 22:10:08 h postgresql@17-main[88]: 2026-01-15 22:10:08.402 UTC [22] " + died, "[22] " + died},
		{"Jan 15 22:10:08 h patroni[88]: 2026-01-15 22:10:08.402 UTC [22] " + died, "[22] " + died},
		{"Jan 15 22:10:08 h postmaster[88]: " + died, died},
		{"Jan 15 22:10:08 h postgres[88]: [12-1] " + died + "\nJan 15 22:10:08 h postgres[88]: [12-3] #011FROM t",
			"\tFROM t"},
		{"2026-01-15T22:10:08.500000Z " + object, object},
		{"[pod/pg-0/postgres] " + object, object},
		{"Jan 15 22:10:08 h CROND[88]: (root) CMD (/usr/bin/true)", ""},
		{"Jan 15 22:10:08 h kernel: " + object, object},
	} {
		got := ""
		p := NewReader(func(f *Foreign) bool {
			got = string(f.Text)
			return true
		})
		if err := p.Add(strings.NewReader(c.text + "\n")); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s: %q", c.text, got)
		}
	}
	const inner = `{"log_time":"2026-01-15 22:10:08.402 UTC","process_id":"22","error_severity":"LOG","message":"x"}`
	flat := string(operatorRecord([]byte(`{"level":"info","logger":"postgres","record":` + inner + `}`)))
	if !strings.Contains(flat, `"timestamp":"2026-01-15 22:10:08.402 UTC"`) || strings.Contains(flat, `"record"`) ||
		!strings.Contains(flat, `"pid":"22"`) {
		t.Error(flat)
	}
}

// TestWithinSentence holds that a line of the kernel is read that a sentence quotes, and none that a statement has in a
// string.
func TestWithinSentence(t *testing.T) {
	const kill = "Killed process 2177 (postgres) total-vm:6120440kB, anon-rss:3910220kB, file-rss:0kB"
	for _, c := range []struct {
		text string
		n    int
	}{
		{"In dmesg I find `Out of memory: " + kill + "` and the shell says", 1},
		{"In dmesg I don't find but \"Out of memory: " + kill + "\".", 1},
		{"Im Log steht \u201eOut of memory: " + kill + "\u201c, mehr nicht", 1},
		{"the last line is " + kill + " and nothing else", 1},
		{"dans dmesg\u00a0: « Memory cgroup out of memory: " + kill + " »", 1},
		{"run grep \"Out of memory: Killed process\" /var/log/messages", 0},
		{"INSERT INTO log VALUES ('Out of memory: " + kill + "');", 0},
		{"2026-01-01 00:00:00 UTC [1] LOG:  statement: SELECT \"Out of memory: " + kill + "\"", 0},
		{"\tSELECT \"Out of memory: " + kill + "\"", 0},
	} {
		l, err := Read(strings.NewReader(c.text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != c.n || c.n == 1 && (len(l.Reports[0].Victims) != 1 ||
			l.Reports[0].Victims[0].Anon == nil || l.Reports[0].Victims[0].PID != 2177) {
			t.Errorf("%s: %+v", c.text, l.Reports)
		}
	}
}

// TestDecorated holds that a report is read whole under what viewers, collectors and exports put around each of its
// lines, those too that have no time of their own, and after a mail program filled it.
func TestDecorated(t *testing.T) {
	const at = "[Sat May 16 14:03:22 2026] "
	pad := strings.Repeat(" ", len(at))
	var lines []string
	for _, s := range small {
		lines = append(lines, at+s)
		if s == "Mem-Info:" {
			lines = append(lines, at+"active_anon:10 inactive_anon:20 isolated_anon:0",
				pad+"active_file:30 inactive_file:40 isolated_file:0", pad+"unevictable:0 dirty:5 writeback:0",
				pad+"slab_reclaimable:6 slab_unreclaimable:7", pad+"mapped:8 shmem:9 pagetables:11 bounce:0",
				pad+"free:12 free_pcp:0 free_cma:0", at+"Total swap = 2048kB")
		}
	}
	lines = append(lines, at+"oom_reaper: reaped process 5120 (postgres), now anon-rss:0kB, file-rss:0kB, "+
		"shmem-rss:8kB")
	each := func(f func(string) string) string {
		var b strings.Builder
		for _, s := range lines {
			b.WriteString(f(s) + "\n")
		}
		return b.String()
	}
	forms := map[string]string{"plain": each(func(s string) string { return s })}
	for _, before := range []string{"| ", "│ ", "+", "- ", "  12\t", "12: ", "app-1  | ", "node1 "} {
		forms[before] = each(func(s string) string { return before + s })
	}
	forms["table"] = each(func(s string) string { return "| " + s + " |" })
	forms["list"] = each(func(s string) string { return `        "` + s + `",` })
	forms["csv"] = each(func(s string) string { return `"7","` + s + `"` })
	forms["graylog"] = each(func(s string) string { return `{"version":"1.1","short_message":"` + s + `","level":4}` })
	forms["escaped"] = strings.ReplaceAll(each(func(s string) string { return s }), "\n", `\n`)
	forms["output"] = `{"rc": 0, "stdout": "` + forms["escaped"] + `"}`
	for _, width := range []int{72, 76, 80, 100} {
		forms["filled at "+strconv.Itoa(width)] = each(func(s string) string {
			if strings.HasPrefix(s, " ") {
				return s
			}
			return strings.Join(folds(s, width, true), "\n")
		})
	}
	for name, text := range forms {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 {
			t.Errorf("%s: %d reports\n%s", name, len(l.Reports), text)
			continue
		}
		r := l.Reports[0]
		is := func(p *int64, n int64) bool { return p != nil && *p == n }
		if r.Kernel != "6.1.0-44-amd64" || len(r.Victims) != 1 || r.Victims[0].Anon == nil ||
			*r.Victims[0].Anon != 6410112*1024 || len(r.Table.Tasks) != 2 || r.Table.Tasks[1].Name != "postgres" ||
			r.Info == nil || !is(r.Info.RAM, 2097018) || !is(r.Info.Shmem, 9) || !is(r.Info.PageTables, 11) ||
			!is(r.Info.Free, 12) || r.Info.SwapTotal == nil {
			t.Errorf("%s: %+v %+v\n%s", name, r, r.Info, text)
		}
	}
}
