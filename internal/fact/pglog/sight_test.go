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
