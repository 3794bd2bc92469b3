package kernlog

import (
	"strings"
	"testing"
)

// TestTitleAboveAReport: the line of the kill that a person has put above a report, without its time, is of that.
func TestTitleAboveAReport(t *testing.T) {
	const title = "# Out of memory: Killed process 5120 (postgres)\n\nThis is the log:\n"
	stamped := func(lines []string) string {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString("Nov 20 09:00:00 db kernel: [14571.504439] " + l + "\n")
		}
		return b.String()
	}
	for name, text := range map[string]string{"cut": stamped(small[:4]), "whole": stamped(small)} {
		l, err := Read(strings.NewReader(title + text))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 || len(l.Reports[0].Victims) != 1 || l.Reports[0].Victims[0].PID != 5120 ||
			!strings.Contains(l.Reports[0].At.Text, "09:00:00") {
			t.Errorf("%s: %s", name, dump(l))
		}
	}
	other := strings.ReplaceAll(title, "5120", "77")
	if l, err := Read(strings.NewReader(other + stamped(small))); err != nil || len(l.Reports) != 2 {
		t.Errorf("another process: %v %s", err, dump(l))
	}
}

// TestDayBeforeTheMonth: dmesg -T writes the date as its language does.
func TestDayBeforeTheMonth(t *testing.T) {
	for _, at := range []string{"dim. 19 avril 18:03:30 2026", "Sun 19 Apr 18:03:30 2026",
		"dim. avril 19 18:03:30 2026"} {
		var text strings.Builder
		for _, l := range small {
			text.WriteString("[" + at + "] " + l + "\n")
		}
		l, err := Read(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) != 1 || l.Reports[0].At.Text != at || len(l.Reports[0].Table.Tasks) != 2 ||
			l.Reports[0].From != BySummary || len(l.Unread) > 0 {
			t.Errorf("%s: %+v %s", at, l.Unread, dump(l))
		}
	}
}

// TestProseIsNotUnread: a sentence that names the killer is no line of it that was not understood.
func TestProseIsNotUnread(t *testing.T) {
	for text, want := range map[string]int{"ログに`oom-killer`があるかどうかを確認します。\n": 0,
		"Если в журнале есть oom-killer, памяти не хватило.\n": 0, "postgres met the oom-killer somehow\n": 1} {
		l, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Unread) != want {
			t.Errorf("%q: %+v", text, l.Unread)
		}
	}
}
