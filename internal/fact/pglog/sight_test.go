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
