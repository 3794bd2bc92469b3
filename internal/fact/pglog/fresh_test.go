package pglog

import (
	"strings"
	"testing"
)

// TestTwoTimesInAPrefix: a prefix may have the time of the session's start as well, behind words of the session.
func TestTwoTimesInAPrefix(t *testing.T) {
	l, _ := readAll(t, strings.Join([]string{
		"< 2026-11-20 09:29:53.125 UTC shop app HOST1(51698) [unknown] 2026-11-20 09:20:00 UTC 12104 5cc9f3b1.2f48: " +
			">LOG:  connection authorized: user=shop database=app",
		"< 2026-11-20 09:30:10.026 UTC     2026-11-20 09:16:19 UTC 12836 5cc9f083.3224: >LOG:  server process (PID " +
			"12104) was terminated by exception 0xC0000374"}, "\n"), Options{})
	if len(l.lines) != 2 || !strings.HasPrefix(l.lines[0], "09:29:53.125 UTC 12104 ") ||
		!strings.HasPrefix(l.lines[1], "09:30:10.026 UTC 12836 ") {
		t.Errorf("%q", l.lines)
	}
}

// TestEmphasis: a person set lines in bold or italics, which begin at one line and end at another.
func TestEmphasis(t *testing.T) {
	l, src := readAll(t, strings.Join([]string{
		"_2026-11-20 09:00:47.462 CEST [2056] LOG:  checkpoint starting: time",
		"2026-11-20 09:00:47.556 CEST [11880] LOG:  database system is ready to accept connections",
		"**2026-11-20 09:00:49.813 CEST [11880] LOG:  background worker \"x\" (PID 10) was terminated by signal 11",
		"2026-11-20 09:00:49.813 CEST [11880] LOG:  terminating any other active server processes**_"}, "\n"),
		Options{})
	if len(l.lines) != 4 || src.Prefix != "%m [%p] " ||
		!strings.Contains(l.lines[3], " \"terminating any other active server processes\" ") {
		t.Errorf("%q %q", src.Prefix, l.lines)
	}
}

// TestContainersNameWithinALine: what a page put on one line begins with the name of the container each time.
func TestContainersNameWithinALine(t *testing.T) {
	l, _ := readAll(t, "db-1  | 2026-11-20 09:00:00.519 UTC [181] ERROR:  canceling statement due to conflict with "+
		"recovery db-1  | 2026-11-20 09:00:00.519 UTC [181] DETAIL:  User query might have needed to see row versions "+
		"that must be removed. db-1  | 2026-11-20 09:00:00.519 UTC [181] STATEMENT:  SELECT 1 FROM t\n", Options{})
	if len(l.lines) != 1 || !strings.Contains(l.lines[0], `"canceling statement due to conflict with recovery" `) ||
		!strings.Contains(l.lines[0], `statement="SELECT 1 FROM t"`) || strings.Contains(l.lines[0], `detail=""`) {
		t.Errorf("%q", l.lines)
	}
}

// TestFaultOfTheKernel: a line of the kernel among those of the server tells in which library a process crashed.
func TestFaultOfTheKernel(t *testing.T) {
	_, src := readAll(t, "[Wed Nov 20 09:00:00 2026] postgres[128371]: segfault at 148 ip 00007f525705feb9 sp "+
		"00007ffeb9e32ac0 error 4 in my_ext.so[7f525705e000+6000]\n"+
		"2026-11-20 09:00:00 UTC [1] LOG:  server process (PID 128371) was terminated by signal 11: Segmentation "+
		"fault\n", Options{})
	if len(src.Faults) != 1 || !strings.Contains(src.Faults[0], "my_ext.so") || src.Entries != 1 {
		t.Errorf("%+v", src)
	}
}
