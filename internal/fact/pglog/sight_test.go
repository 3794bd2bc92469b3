package pglog

import (
	"strings"
	"testing"
)

// TestAddressInAPrefix: one session's address is a value of the prefix, not a word of it.
func TestAddressInAPrefix(t *testing.T) {
	line := "2026-11-20 09:00:00 CET [71]: [1-1] user=ana,db=shop {10.0.3.7} LOG:  temporary file: path \"x\", size 7\n"
	_, src := readAll(t, line+strings.Replace(line, "[1-1]", "[2-1]", 1), Options{})
	if src.Prefix != "%t [%p]: [%l-1] user=%u,db=%d {%h} " {
		t.Errorf("%q", src.Prefix)
	}
	l, _ := readAll(t, line+strings.Replace(line, "10.0.3.7", "10.0.3.9(5431)", 1), Options{})
	if len(l.lines) != 2 {
		t.Errorf("%q", l.lines)
	}
}

// TestIndentedBehindProse: what a list of Markdown puts before a log is no part of its prefix.
func TestIndentedBehindProse(t *testing.T) {
	const entry = "   2026-11-20 09:00:00 UTC::@:[396]:LOG:  checkpoint starting: time\n"
	_, src := readAll(t, "- It is a server of 16.\n- Its log:\n- (shortened)\n"+entry+entry+entry, Options{})
	if src.Prefix != "%t:%r:%u@%d:[%p]:" || src.Entries != 3 {
		t.Errorf("%+v", src)
	}
}

// TestContextOfGrep: grep -n -C puts «-» behind the number of a line that did not match, and «--» between groups.
func TestContextOfGrep(t *testing.T) {
	text := "" +
		"41-2026-11-20 09:00:00.000 UTC [7] LOG:  checkpoint starting: time\n" +
		"42:2026-11-20 09:00:01.000 UTC [8] ERROR:  deadlock detected\n" +
		"43-2026-11-20 09:00:01.000 UTC [8] STATEMENT:  UPDATE stock\n" +
		"44-\t  SET n = 1\n" +
		"--\n" +
		"96-2026-11-20 09:10:00.000 UTC [7] LOG:  checkpoint starting: time\n" +
		"97:2026-11-20 09:10:01.000 UTC [9] ERROR:  deadlock detected\n"
	l, src := readAll(t, text, Options{})
	if src.Prefix != "%m [%p] " || src.Stray != 0 || src.Entries != 4 || !strings.Contains(strings.Join(l.lines, "\n"),
		"UPDATE stock") || strings.Contains(strings.Join(l.lines, "\n"), "44-") {
		t.Errorf("%+v\n%s", src, strings.Join(l.lines, "\n"))
	}
}

// TestReportThatLostItsTabs: two blanks, or nothing, stand before the lines of a report of autovacuum on some pages.
func TestReportThatLostItsTabs(t *testing.T) {
	const head = "2026-11-20 09:00:00.828 UTC [71] LOG:  automatic vacuum of table \"a.public.t\": index scans: 0\n"
	for _, before := range []string{"  ", ""} {
		l, src := readAll(t, "Its log:\n\n```\n"+head+before+"pages: 0 removed, 44 remain, 44 scanned (100.00% of "+
			"total)\n"+before+"tuples: 0 removed, 1000 remain, 667 are dead but not yet removable\n"+
			before+"buffer usage: 72 hits, 16 misses, 0 dirtied\n```\nIt removes nothing.\n", Options{})
		text := strings.Join(l.lines, "\n")
		if src.Entries != 1 || src.Stray != 4 || !strings.Contains(text, "667 are dead") ||
			strings.Contains(text, "removes nothing") {
			t.Errorf("behind %q: %+v\n%s", before, src, text)
		}
	}
	// A list right behind an entry is a person's.
	if _, src := readAll(t, head+"  pages: 0 removed\n  - why is that?\n  1. no idea\n", Options{}); src.Stray != 2 {
		t.Errorf("%+v", src)
	}
}

// TestAddressOfIPv6InAPrefix: it is a value, wherever it stands.
func TestAddressOfIPv6InAPrefix(t *testing.T) {
	const line = "fd00:91ab:7c1::20:5 2026-11-20 09:00:00.123 UTC [71] ana@shop ERROR:  deadlock detected\n"
	l, src := readAll(t, line+strings.Replace(line, "71", "72", 1), Options{})
	if src.Prefix != "%h %m [%p] %u@%d " || !strings.Contains(l.lines[0], ` 71 ERROR`) {
		t.Errorf("%q %q", src.Prefix, l.lines)
	}
	for text, want := range map[string]int{"::1 x": 3, "fe80::1:2:3(5432)": 11, "1:2:3:4:5:6:7:8 ": 15,
		"::ffff:10.0.0.7:": 15, "2026::": 6, "09:00:01.123 ": 0, "::@:": 0, "1:2:3 ": 0, "1:2:3:4:5:6:7:8:9": 0,
		"12345::1 ": 0, "::": 0, "": 0, "::1z": 0, ": :": 0} {
		if n := address6([]byte(text)); n != want {
			t.Errorf("%q: %d, want %d", text, n, want)
		}
	}
}

// TestIndentIsNoPrefix: the blanks of a block of Markdown are not what log_line_prefix has.
func TestIndentIsNoPrefix(t *testing.T) {
	_, src := readAll(t, "It says this all the time:\n\n    LOG:  invalid primary checkpoint record\n"+
		"    PANIC:  could not locate a valid checkpoint record\n\nWhat is that?\nIs it the disk?\n", Options{})
	if src.Prefix != "" || src.Entries != 2 {
		t.Errorf("%+v", src)
	}
}

// TestStatesAndHostsWithoutTimes: a prefix of a user, a SQLSTATE and a host, which are empty in background processes,
// on a page that left one blank of two.
func TestStatesAndHostsWithoutTimes(t *testing.T) {
	l, src := readAll(t, "user=,db= 00000 LOG: terminating any other active server processes\n"+
		"user=ana,db=shop 57P02 app1.example.com WARNING: terminating connection because of crash of another server "+
		"process\nuser=ana,db=shop 22012 app2.example.com ERROR: division by zero\n"+
		"user=,db= XX000 FATAL: could not connect to the primary server: FATAL: no\n", Options{})
	if src.Prefix != "user=%u,db=%d %e %h " || src.Entries != 4 || src.NoState != 0 ||
		!strings.Contains(l.lines[3], "FATAL XX000") {
		t.Errorf("%+v\n%s", src, strings.Join(l.lines, "\n"))
	}
}

// TestNoProcessZero: a single 0 in a prefix is the number of a transaction, and no process.
func TestNoProcessZero(t *testing.T) {
	line := "2026-11-20 09:00:00 UTC 0  : LOG:  terminating any other active server processes\n"
	if _, src := readAll(t, line+line, Options{}); src.Prefix != "%t %x  : " {
		t.Errorf("%q", src.Prefix)
	}
}

// TestErrorsOfAClient: a severity without any prefix, among lines that have one, is of a client.
func TestErrorsOfAClient(t *testing.T) {
	entry := "2026-11-20 09:00:00.123 UTC [71] LOG:  checkpoint starting: time\n"
	_, src := readAll(t, "FATAL: query failed: 12\nFATAL: error, exiting...\n"+entry+entry, Options{})
	if src.Unread != 0 || src.Stray != 2 {
		t.Errorf("%+v", src)
	}
}

// TestVersionOfATranslatedStart: the version stands before the words in some languages, and a comma behind it on
// Windows.
func TestVersionOfATranslatedStart(t *testing.T) {
	const text = "2026-11-20 09:00:00.123 JST [71] LOG:  PostgreSQL 14.2, compiled by Visual C++ build 1914, 64-bit " +
		"を起動しています\n2026-11-20 09:00:00.124 JST [71] LOG:  starting PostgreSQL 14.3, compiled by Visual C++ build " +
		"1914, 64-bit\n"
	l := &versions{}
	if _, err := Read(strings.NewReader(text), Options{}, l); err != nil || strings.Join(l.found, " ") != "14.2 14.3" {
		t.Errorf("%v %q", err, l.found)
	}
}

type versions struct{ found []string }

func (v *versions) Entry(e *Entry) { v.found = append(v.found, e.Version()) }
func (v *versions) Dump(*Dump)     {}

// TestBehindTheDotsOfPgCtl: the first message of a log without times is behind what pg_ctl wrote; the times in its
// messages are no times of entries.
func TestBehindTheDotsOfPgCtl(t *testing.T) {
	l, src := readAll(t, "pg_ctl: another server might be running; trying to start server anyway\n"+
		"waiting for server to start....LOG:  database system was interrupted; last known up at "+
		"2016-06-16 20:25:11 UTC\n"+
		"LOG:  database system was not properly shut down; automatic recovery in progress\n"+
		"LOG:  last completed transaction was at log time 2016-06-16 20:25:11.961646+00\n"+
		"LOG:  database system is ready to accept connections\n done\n", Options{})
	if src.Entries != 4 || src.Prefix != "" {
		t.Errorf("%+v\n%s", src, strings.Join(l.lines, "\n"))
	}
}

// TestTimeOfACollectorAndATab: a panel puts its own time and a tab before each line, in its own zone.
func TestTimeOfACollectorAndATab(t *testing.T) {
	l, src := readAll(t, "2026-02-20 12:48:58.070\t2026-02-20 11:48:58.069 UTC [1] LOG:  checkpoint starting: time\n"+
		"2026-02-20 12:48:58.082\t2026-02-20 11:48:58.082 UTC [29] FATAL:  the database system is starting up\n",
		Options{})
	if src.Prefix != "%m [%p] " || len(src.Zones) != 1 || src.Zones[0] != "UTC" || len(l.lines) != 2 {
		t.Errorf("%+v\n%s", src, strings.Join(l.lines, "\n"))
	}
}

// TestWhatPsqlShowedAbove: messages that a client has shown are none of the log below them. Without a client's own
// words they are of the log, and their prefix was not copied.
func TestWhatPsqlShowedAbove(t *testing.T) {
	const shown = "WARNING:  terminating connection because of crash of another server process\n" +
		"DETAIL:  The postmaster has commanded this server process to roll back.\n"
	const log = "2026-05-08 15:54:16.866 UTC [1] LOG:  server process (PID 9687) was terminated by signal 9: Killed\n" +
		"2026-05-08 15:54:16.866 UTC [1] LOG:  terminating any other active server processes\n"
	for between, want := range map[string]int64{"server closed the connection unexpectedly\n": 2,
		"The connection to the server was lost. Attempting reset: Failed.\n": 2, "shop=# SELECT 1;\n": 2,
		"a => b\n": 3, "": 3} {
		_, src := readAll(t, shown+between+log, Options{})
		if src.Entries != want || src.Unread > 0 {
			t.Errorf("%q: %+v", between, src)
		}
	}
}

// TestNumbersOfAnEditor: what an editor lists of a search has the number of each line, in the words of its language.
func TestNumbersOfAnEditor(t *testing.T) {
	for _, word := range []string{"行", "Line", "Строка"} {
		var text strings.Builder
		text.WriteString("### What happened?\n\n")
		for _, n := range []string{"3592", "3597", "3703"} {
			text.WriteString("\t" + word + " " + n + ": 2026-11-16 07:49:39.740 HKT [17] WARNING:  autovacuum worker " +
				"took too long to start; canceled\n")
		}
		text.WriteString("\n### Which version?\n\n15.2\n")
		l, src := readAll(t, text.String(), Options{})
		if src.Entries != 3 || strings.Contains(strings.Join(l.lines, "\n"), "version") || src.Prefix != "%m [%p] " {
			t.Errorf("%s: %+v\n%s", word, src, strings.Join(l.lines, "\n"))
		}
	}
}

// TestProcessesThatNeverExit: some processes of the server make it start all over with any exit code.
func TestProcessesThatNeverExit(t *testing.T) {
	for text, want := range map[string]bool{
		"autovacuum launcher process (PID 29) exited with exit code 1": true,
		"checkpointer (PID 29) exited with exit code 1":                true,
		"server process (PID 29) exited with exit code 1":              false,
		"WAL receiver process (PID 29) exited with exit code 1":        false,
		"autovacuum launcher process (PID 29) exited with exit code 0": false,
	} {
		e := Entry{Severity: Log, Message: []byte(text)}
		if d, ok := e.Death(); !ok || d.Crash() != want {
			t.Errorf("%s: %+v", text, d)
		}
	}
}

// TestStatementsOfDurations: in each language the statement behind a duration is found.
func TestStatementsOfDurations(t *testing.T) {
	for text, want := range map[string]string{
		"ru\tСООБЩЕНИЕ:  продолжительность: 1051.258 мс, оператор: SELECT 1":      "SELECT 1",
		"ru\tСООБЩЕНИЕ:  продолжительность: 1051.258 мс  выполнение s1: SELECT 2": "SELECT 2",
		"fr\tLOG:  durée : 1051.258 ms, instruction : SELECT 3":                   "SELECT 3",
		"de\tLOG:  Dauer: 1051.258 ms  Anweisung: SELECT 4":                       "SELECT 4",
	} {
		language, line, _ := strings.Cut(text, "\t")
		s := &durationSink{}
		if _, err := Read(strings.NewReader("2026-11-20 09:00:00.000 UTC [7] "+line+"\n"), Options{}, s); err != nil {
			t.Fatal(err)
		}
		if s.sql != want {
			t.Errorf("%s: %q of %s", language, s.sql, line)
		}
	}
}

// durationSink keeps the statement of a duration.
type durationSink struct{ sql string }

func (s *durationSink) Entry(e *Entry) { s.sql = string(e.TookStatement()) }
func (s *durationSink) Dump(*Dump)     {}
