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

// TestArrowsBehindRows: what a person points at a row with is no part of the name in it.
func TestArrowsBehindRows(t *testing.T) {
	for mark, want := range map[string]string{"  <=======": "postgres", " <-- this one": "postgres",
		"   ← hier": "postgres", "  # the server": "postgres", " (x)": "postgres (x)", "": "postgres"} {
		text := strings.Join(small, "\n")
		text = strings.Replace(text, "0             0 postgres\n", "0             0 postgres"+mark+"\n", 1)
		l, err := Read(strings.NewReader(text + "\n"))
		if err != nil || len(l.Reports) != 1 || len(l.Reports[0].Table.Tasks) != 2 ||
			l.Reports[0].Table.Tasks[1].Name != want {
			t.Errorf("%q: %v %s", mark, err, dump(l))
		}
	}
	if got := unmarked("Web Content"); got != "Web Content" {
		t.Errorf("%q", got)
	}
}

// TestKillShownAgain: the lines of a kill that a person shows once more without their time are no second one. With
// other sizes, or of another process, they are.
func TestKillShownAgain(t *testing.T) {
	const choice = "Out of memory: Kill process 812 (mysqld) score 192 or sacrifice child\n"
	const killed = "Killed process 812 (mysqld), UID 27, total-vm:1276580kB, anon-rss:361980kB, file-rss:0kB, " +
		"shmem-rss:0kB\n"
	const log = "[  510.301193] " + choice + "[  510.302363] " + killed
	for name, c := range map[string]struct {
		again string
		want  int
	}{"both lines": {choice + killed, 1}, "the last": {killed, 1}, "the choice": {choice, 1},
		"another process": {strings.ReplaceAll(killed, "812", "99"), 2},
		"other sizes":     {strings.Replace(killed, "361980", "4980", 1), 2},
		"a time":          {"[  900.302363] " + killed, 2}} {
		l, err := Read(strings.NewReader(log + "\nIt was the server:\n\n" + c.again))
		if err != nil || len(l.Reports) != c.want {
			t.Errorf("%s: %v %s", name, err, dump(l))
		}
	}
}

// TestSummaryFoldedByHand: the line of the choice is folded behind its commas, as a shell goes on, or without a mark.
func TestSummaryFoldedByHand(t *testing.T) {
	const whole = "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-60.scope,mems_allowed=0," +
		"oom_memcg=/a.slice/b.slice,task_memcg=/a.slice/b.slice/docker-60.scope,task=tail,pid=519,uid=0"
	for _, mark := range []string{`\`, ""} {
		folded := whole
		for _, at := range []string{"cpuset=", "oom_memcg=", "task_memcg=", "task="} {
			folded = strings.Replace(folded, ","+at, ","+mark+"\n    "+at, 1)
		}
		l, err := Read(strings.NewReader("Apr 15 23:04:52 h kernel: head invoked oom-killer: gfp_mask=0x500cc2, " +
			"order=0, oom_score_adj=0\nApr 15 23:04:52 h kernel: " + folded + "\n"))
		if err != nil || len(l.Reports) != 1 || l.Reports[0].Group != "/a.slice/b.slice" ||
			l.Reports[0].TaskGroup != "/a.slice/b.slice/docker-60.scope" || l.Reports[0].Victims[0].PID != 519 {
			t.Errorf("%q: %v %s", mark, err, dump(l))
		}
	}
}
