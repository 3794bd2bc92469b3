package pglog

import (
	"fmt"
	"strings"
	"testing"
)

// Each text has what its class lost; in own words, after pastes that were met.
func TestMarkedLines(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // severity and message of each entry
	}{
		"fences on the lines": {"```2026-02-03 04:05:06.789 UTC [51] FATAL:  the database system is starting up\n" +
			"2026-02-03 04:05:07.789 UTC [52] LOG:  invalid record length at 0/17D: wanted 24, got 0```\n",
			[]string{"FATAL the database system is starting up",
				"LOG invalid record length at 0/17D: wanted 24, got 0"}},
		"arrows and bold letters": {"2026-02-03 04:05:06 UTC [51] LOG:  redo starts at 0/17D\n" +
			"---> 2026-02-03 04:05:07 UTC [52] PANIC:  could not locate a valid checkpoint record\n" +
			"**2026-02-03 04:05:08 UTC [50] LOG:  aborting startup due to startup process failure**\n",
			[]string{"LOG redo starts at 0/17D", "PANIC could not locate a valid checkpoint record",
				"LOG aborting startup due to startup process failure"}},
		"a copy that begins within the time": {"-02-03 04:05:06.789 UTC [51] LOG:  redo starts at 0/17D\n" +
			"2026-02-03 04:05:07.789 UTC [51] LOG:  redo done at 0/18D\n",
			[]string{"LOG redo starts at 0/17D", "LOG redo done at 0/18D"}},
		"what follows is no rest of a wide line": {
			"2026-02-03 04:05:06.789 UTC [51] ERROR:  canceling statement due to conflict with recovery, as it was\n" +
				"WARNING: no logs are available here\n" +
				"time=2026-02-03T04:05:07Z level=info msg=gone caller=web\n</code>\nTue, Feb 3 was when it began\n^C\n",
			[]string{"ERROR canceling statement due to conflict with recovery, as it was"}},
		"a structure of Go": {"msg failed: &{Severity:ERROR SeverityUnlocalized:ERROR Code:XX001 Message:could not " +
			"read block 7 in file \"base/5/1\": read only 0 of 8192 bytes Detail: Hint: Position:0 File:md.c}\n",
			[]string{`ERROR could not read block 7 in file "base/5/1": read only 0 of 8192 bytes`}},
		"an error as Go writes it": {"panic: ERROR: could not serialize access due to concurrent update " +
			"(SQLSTATE 40001)\n", []string{"ERROR could not serialize access due to concurrent update"}},
		"an error as Java writes it": {"Caused by: org.postgresql.util.PSQLException: ERROR: deadlock detected\n" +
			"  Detail: Process 7 waits for ShareLock on transaction 8; blocked by process 9.\n" +
			"  Hint: See server log for query details.\n\tat org.postgresql.Driver.go(Driver.java:1)\n",
			[]string{"ERROR deadlock detected"}},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := readAll(t, c.text, Options{})
			if len(l.lines) != len(c.want) {
				t.Fatalf("entries %q, want %q", l.lines, c.want)
			}
			for i, line := range l.lines {
				if severity, message, _ := strings.Cut(c.want[i], " "); !strings.Contains(line, " "+severity+" ") ||
					!strings.Contains(line, fmt.Sprintf(" %q user", message)) {
					t.Errorf("entry %s, want %q", line, c.want[i])
				}
			}
		})
	}
}

// TestBrokenRecords: prose around a csvlog is no broken record of it, and what lost a quotation mark ends there.
func TestBrokenRecords(t *testing.T) {
	record := `2026-02-03 04:05:06.789 UTC,"ada","shop",51,"10.0.0.7:404",69816a52.33,1,"SELECT",2026-02-03 ` +
		`04:05:00 UTC,3/9,0,ERROR,22012,"division by zero",,,,,,"SELECT 1/0",,,"psql","client backend",,0` + "\n"
	text := "This is what the log has, and it puzzles me:\n" + record + record + "Why is that, please?\n"
	if l, src := readAll(t, text, Options{}); src.Format != CSV || len(l.lines) != 2 || src.Broken != 0 {
		t.Errorf("%q %+v", l.lines, src)
	}
	if l, src := readAll(t, record+"shop,51,10.0.0.7:404,69816a52.33,1,SELECT\n"+record, Options{}); src.Broken != 1 {
		t.Errorf("%q %+v", l.lines, src)
	}
	open := strings.Replace(record, `"SELECT 1/0",,,"psql","client backend",,0`, `,,,,psql","client backend",,0`, 1)
	if l, _ := readAll(t, record+open, Options{}); len(l.lines) != 2 || strings.Contains(l.lines[1], "psql") {
		t.Errorf("%q", l.lines)
	}
}

// TestSwarmService: the task and the host that docker service logs puts before a line are no user and database.
func TestSwarmService(t *testing.T) {
	const before = "db_main.1.k3j5h2g8f7d6s4a1q9w0e2r4t@node-7    | "
	l, src := readAll(t, before+"2026-02-03 04:05:06.789 UTC [51] LOG:  redo starts at 0/17D\n"+
		before+"2026-02-03 04:05:07.789 UTC [51] LOG:  redo done at 0/18D\n", Options{})
	if len(l.lines) != 2 || !strings.Contains(l.lines[0], `user="" db=""`) || src.Wrapped != "docker compose" {
		t.Errorf("%q %+v", l.lines, src)
	}
}
