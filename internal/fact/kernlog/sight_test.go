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

// TestPrefixOnALineOfItsOwn: a mailer has put the line that did not fit below its prefix.
func TestPrefixOnALineOfItsOwn(t *testing.T) {
	const before = "Nov 20 08:00:00 old kernel: Out of memory: Killed process 31 (sh) total-vm:5400kB, " +
		"anon-rss:252kB, file-rss:4kB, shmem-rss:0kB\n\nThe other one:\n\n"
	l, err := Read(strings.NewReader(before + "Nov 20 09:00:00 new kernel:\n" + small[7] + "\n" +
		"Nov 20 09:00:00 new kernel: Out of memory: Killed process 5120\n(postgres) total-vm:7920440kB, " +
		"anon-rss:6410112kB, file-rss:1024kB,\nshmem-rss:91220kB\n"))
	if err != nil || len(l.Reports) != 2 {
		t.Fatalf("%v %s", err, dump(l))
	}
	r := l.Reports[1]
	if !strings.Contains(r.At.Text, "09:00:00") || len(r.Victims) != 1 || r.Victims[0].UID != 26 ||
		r.Victims[0].Shm == nil {
		t.Errorf("%s", dump(l))
	}
}

// TestCommaOfAFoldedLine: in a report that is open, the first line of another is joined with its rest; sums that begin
// with the free pages keep them.
func TestCommaOfAFoldedLine(t *testing.T) {
	l, err := Read(strings.NewReader("Mem-Info:\n free:252 slab_reclaimable:194 slab_unreclaimable:366\n" +
		"1000 pages RAM\n\nAll of it:\n\n  anaconda invoked oom-killer: gfp_mask=0x14200ca(GFP_HIGHUSER_MOVABLE),\n" +
		"nodemask=(null), order=3, oom_score_adj=0\n  Mem-Info:\n free:253 slab_reclaimable:194 mapped:366\n"))
	if err != nil || len(l.Reports) != 2 {
		t.Fatalf("%v %s", err, dump(l))
	}
	if i := l.Reports[0].Info; i.Free == nil || *i.Free != 252 || l.Reports[1].Asker.Order != 3 {
		t.Errorf("%s", dump(l))
	}
}

// TestSumsAboveTheReport: what a person shows of a report before all of it is no report of its own; while swapoff runs
// free swap is negative.
func TestSumsAboveTheReport(t *testing.T) {
	const sums = "Free swap  = -2458kB\nTotal swap = 0kB\n458615 pages RAM\n"
	whole := small[0] + "\nMem-Info:\nactive_anon:98024 inactive_anon:167006 isolated_anon:0\n" + sums
	l, err := Read(strings.NewReader(sums + "\nThe whole of it:\n\n" + whole))
	if err != nil || len(l.Reports) != 1 || !l.Reports[0].Info.SwapOff || l.Reports[0].Info.SwapFree != nil {
		t.Errorf("%v %s", err, dump(l))
	}
	other := strings.Replace(sums, "458615", "12", 1)
	if l, err := Read(strings.NewReader(other + "\nThe whole of it:\n\n" + whole)); err != nil || len(l.Reports) != 2 {
		t.Errorf("another host: %v %s", err, dump(l))
	}
}
