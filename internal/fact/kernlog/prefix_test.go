package kernlog

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var stamps = regexp.MustCompile(`at "[^"]*"`)

// facts is what is read of a text, without when.
func facts(t *testing.T, text string) string {
	t.Helper()
	l, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return stamps.ReplaceAllString(dump(l), "at ?")
}

// plain are the lines of a report as dmesg has them, without the time since boot.
func plain(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/k618_memcg_v1_two_hogs.log")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for raw := range strings.Lines(string(b)) {
		_, text, found := strings.Cut(strings.TrimRight(raw, "\n"), "] ")
		if !found {
			t.Fatalf("no time: %s", raw)
		}
		out = append(out, text)
	}
	return out
}

// TestPrefixes holds that the same report is read behind each prefix that a program writes.
func TestPrefixes(t *testing.T) {
	lines := plain(t)
	want := facts(t, strings.Join(lines, "\n"))
	if !strings.Contains(want, "victim") {
		t.Fatal(want)
	}
	for name, prefix := range map[string]string{
		"RFC 5424":            "<4>1 2026-02-14T10:20:30.123456+01:00 db1.example.com kernel - - - ",
		"RFC 5424, with data": `<4>1 2026-02-14T10:20:30Z db1 kernel - - [meta id="17"][o@1 a="b"] [ 1234.567890] `,
		"Kubernetes":          "2026-02-14T10:20:30.123456789Z stdout F [ 1234.567890] ",
		"rsyslog, ISO":        "2026-02-14T10:20:30.123456+01:00 db1 kernel: [ 1234.567890] ",
		"syslog with a year":  "2026-02-14 10:20:30 db1 kernel: ",
		"syslog, one space":   "Feb 4 10:20:30 db1 kernel: [1234.567890] ",
		"a quotation":         "> > [ 1234.567890] ",
		"serial console":      "2026-12-04T10:49:30.125Z In(05) vcpu-5 - Guest: <6>[ 1234.567890] ",
		"a console's name":    "db1 login: [ 1234.567890] ",
		"a terminal's colors": "\x1b[32m[ 1234.567890] \x1b[0m",
		"grep in a file":      "/var/log/messages-20260214:Feb 14 10:20:30 db1 kernel: ",
		"grep with numbers":   "kern.log:1234:Feb 14 10:20:30 db1 kernel: ",
		"grep -n":             "1234:Feb 14 10:20:30 db1 kernel: ",
		"syslogd to all":      " kernel:[ 1234.567890] ",
		"journalctl, no time": "kernel: ",
		"journalctl, -k -o":   "[ 1234.567890] kernel: ",
		"a page's list":       "<p>[ 1234.567890] ",
		"no blanks that part": "[\u00a01234.567890]\u00a0",
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(want, facts(t, prefix+strings.Join(lines, "\n"+prefix)+"\n")); d != "" {
				t.Errorf("-without +with the prefix:\n%s", d)
			}
		})
	}
}

// TestCopies holds that it is read of what programs and people made of its lines.
func TestCopies(t *testing.T) {
	lines := plain(t)
	want := facts(t, strings.Join(lines, "\n"))
	for name, made := range map[string]func(string) string{
		"source of a page": func(s string) string { return html.EscapeString("[ 1234.567890] " + s) },
		"file of Docker": func(s string) string {
			b, err := json.Marshal(map[string]string{"log": "[ 1234.567890] " + s + "\n", "stream": "stdout",
				"time": "2026-02-14T10:20:30.123456789Z"})
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		},
		"grep --color": func(s string) string {
			return "[ 1234.567890] " + strings.NewReplacer("Killed process",
				"\x1b[01;31m\x1b[KKilled process\x1b[m\x1b[K",
				"(postgres)", "(\x1b[01;31m\x1b[Kpostgres\x1b[m\x1b[K)").Replace(s)
		},
		"one space where there were many": func(s string) string { return strings.Join(strings.Fields(s), " ") },
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, s := range lines {
				out.WriteString(made(s) + "\n")
			}
			if d := cmp.Diff(want, facts(t, out.String())); d != "" {
				t.Errorf("-as it was +of the copy:\n%s", d)
			}
		})
	}
}

// TestFolded holds that what rsyslog folds into one line is read: the messages of the kernel that have several.
func TestFolded(t *testing.T) {
	const want = "active_anon:1 inactive_anon:2 isolated_anon:0\n active_file:3 inactive_file:4 isolated_file:0\n" +
		" unevictable:5 dirty:6 writeback:7\n mapped:9 shmem:10 pagetables:11 bounce:0\n free:12 free_pcp:0"
	const head = "x invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\nMem-Info:\n"
	l, err := Read(strings.NewReader(head + "Feb 14 10:20:30 db1 kernel: [ 1.000000] " +
		strings.ReplaceAll(want, "\n", "#012") +
		"\n"))
	if err != nil {
		t.Fatal(err)
	}
	i := l.Reports[0].Info
	if i == nil || *i.InactiveAnon != 2 || *i.Dirty != 6 || *i.Writeback != 7 || *i.PageTables != 11 || *i.Free != 12 {
		t.Errorf("%+v", i)
	}
}

// TestOneLine holds that a report is read of a page that has put all of its lines into one.
func TestOneLine(t *testing.T) {
	lines := plain(t)
	want := regexp.MustCompile(`^lines \d+`).ReplaceAllString(facts(t, "[ 1234.567890] "+strings.Join(lines,
		"\n[ 1234.567890] ")), "lines")
	got := regexp.MustCompile(`^lines \d+`).ReplaceAllString(facts(t, "[ 1234.567890] "+strings.Join(lines,
		" [ 1234.567890] ")), "lines")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-as it was +in one line:\n%s", d)
	}
}

// TestQuoted holds that nobody makes a kill out of what a server or another program logs of its users.
func TestQuoted(t *testing.T) {
	const kill = "Out of memory: Killed process 1 (postgres) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB"
	for _, before := range []string{"2026-11-21 07:00:00 UTC [5] LOG:  statement: select '", "LOG:  statement: -- ",
		"2026-11-21 07:00:00 UTC [5] ERROR:  [ 1.000000] ", "Nov 21 07:23:06 vm sshd[77]: Invalid user ",
		"Nov 21 07:23:06 vm sshd[77]: [ 1.000000] ", "STATEMENT:  select '[ 1.000000] ", "\t[ 1.000000] '"} {
		l, err := Read(strings.NewReader(before + kill + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Reports) > 0 {
			t.Errorf("%s: a kill: %s", before, dump(l))
		}
	}
}

// TestUnread holds that a line about a kill which is not understood is told to be there.
func TestUnread(t *testing.T) {
	l, err := Read(strings.NewReader("[ 1.0] x\n[ 5.000000] Killed process with pid 17, by another kernel\n" +
		"[ 6.000000] Killed process 1:2\n[ 7.000000] oom-killer: nobody knows this line\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Unread{{"Killed process", 2, "Killed process with pid 17, by another kernel"},
		{"oom-killer", 1, "oom-killer: nobody knows this line"}}
	if d := cmp.Diff(want, l.Unread); d != "" || len(l.Reports) > 0 {
		t.Errorf("-want +got: %s\n%s", d, dump(l))
	}
}

// TestScope holds what the functions of a call trace tell, from 2.6 to 6.x and of two processors.
func TestScope(t *testing.T) {
	for name, c := range map[string]struct {
		trace string
		want  Constraint
	}{
		"6.17, a group": {
			" oom_kill_process.cold+0xa/0xab\n out_of_memory+0x217/0x4b0\n mem_cgroup_out_of_memory+0xc2/0xd0\n" +
				" try_charge_memcg+0x416/0x600\n ? __alloc_pages+0x1/0x2\n", Memcg},
		"6.16, the host": {" oom_kill_process.cold+0xa/0xab\n out_of_memory+0x217/0x4b0\n" +
			" __alloc_pages_slowpath.constprop.0+0xc2d/0xdd0\n ? mem_cgroup_oom+0x1/0x2\n", Global},
		"2.6.32": {
			" [<ffffffff81117862>] ? oom_kill_process+0x82/0x2a0\n [<ffffffff81117ca0>] ? out_of_memory+0x220/0x3c0\n" +
				" [<ffffffff811279be>] ? __alloc_pages_nodemask+0x89e/0x940\n", Global},
		"2.6.32, a group": {" [<ffffffff81117862>] ? oom_kill_process+0x82/0x2a0\n" +
			" [<ffffffff81117ca0>] ? mem_cgroup_out_of_memory+0x92/0xb0\n", Memcg},
		"arm": {" oom_kill_process from out_of_memory+0x218/0x34c\n out_of_memory from __alloc_pages+0xa98/0x1044\n",
			Global},
		"cut":                {" oom_kill_process.cold+0xa/0xab\n out_of_memory+0x217/0x4b0\n", Unclear},
		"a page that failed": {" warn_alloc+0x1/0x2\n __alloc_pages_slowpath+0x1/0x2\n", Unclear},
	} {
		l, err := Read(strings.NewReader("x invoked oom-killer: order=0\nCall Trace:\n" + c.trace))
		if err != nil {
			t.Fatal(err)
		}
		if r := l.Reports[0]; r.Constraint != c.want || (r.From == ByTrace) != (c.want != Unclear) {
			t.Errorf("%s: %q from %q", name, r.Constraint, r.From)
		}
	}
}

// TestSystemd holds what systemd and systemd-oomd write.
func TestSystemd(t *testing.T) {
	l, err := Read(strings.NewReader(
		"Aug 26 10:49:58 h systemd[1]: a.service: Consumed 1s CPU time, 1G memory peak.\n" +
			"Aug 26 10:49:58 h systemd[1]: p.service: A process of this unit has been killed by the OOM killer.\n" +
			"Aug 26 10:49:58 h systemd[1]: p.service: Failed with result 'oom-kill'.\n" +
			"Aug 26 10:49:58 h systemd[1]: p.service: Consumed 1d 13h CPU time over 2d wall clock time, 6.5G " +
			"memory peak, 512K memory swap peak, 1G read from disk.\n" +
			"Aug 26 10:49:59 h systemd-oomd[7]: Killed /system.slice/x.service due to memory used (32305733632) " +
			"/ total (33046663168) and swap used (8) / total (9) being more than 90.00%\n" +
			"Aug 26 10:49:59 h systemd-oomd[7]: Killed /s/y.scope due to memory pressure for /s being 51.07% > " +
			"50.00% for > 20s with reclaim activity\n" +
			"Aug 26 10:49:59 h systemd[1]: y.scope: systemd-oomd killed 12 process(es) in this unit.\n" +
			"Aug 26 10:49:59 h postgres[9]: Killed /by/nobody due to memory used (1)\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range l.Other {
		got = append(got, fmt.Sprint(o.Kind, " ", o.Name, " ", o.Processes, " ", opt(o.Peak), " ", opt(o.SwapPeak),
			" ", o.Why,
			" ", opt(o.Used), " ", opt(o.Total), " ", opt(o.Pressure), " ", opt(o.Most)))
	}
	want := []string{"unit_killed p.service 0 ? ?  ? ? ? ?", "unit_failed p.service 0 6.5 GB 512 kB  ? ? ? ?",
		"oomd_killed /system.slice/x.service 0 ? ? memory_used 30.1 GB 30.8 GB ? ?",
		"oomd_killed /s/y.scope 0 ? ? memory_pressure ? ? 51.07 50", "oomd_unit y.scope 12 ? ?  ? ? ? ?"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// TestPrefixesInEveryLanguage does so for the dates of dmesg -T, dmesg -H and journalctl in every
// locale of glibc: locales.tsv is made by internal/gen/dates.
func TestPrefixesInEveryLanguage(t *testing.T) {
	table, err := os.ReadFile("testdata/locales.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := plain(t)
	want := facts(t, strings.Join(lines, "\n"))
	n := 0
	for row := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimRight(row, "\n"), "\t")
		if len(f) != 20 {
			t.Fatalf("%q", row)
		}
		days, months := f[1:8], f[8:]
		for i, month := range months {
			day := days[i%7]
			// as strftime has them: "%a %b %e %T %Y", "%b%e %R", "%b %d %T", "%a %F %T %Z"
			for _, prefix := range []string{
				fmt.Sprintf("[%s %s %2d 10:20:30 2026] ", day, month, i+5),
				fmt.Sprintf("[%s%2d 10:20] ", month, i+5),
				fmt.Sprintf("%s %02d 10:20:30 db1 kernel: ", month, i+5),
				fmt.Sprintf("%s 2026-02-14 10:20:30 CET db1 kernel: ", day),
			} {
				if got := facts(t, prefix+strings.Join(lines, "\n"+prefix)+"\n"); got != want {
					t.Errorf("%s: behind %q is read\n%s", f[0], prefix, cmp.Diff(want, got))
					break
				}
				n++
			}
		}
	}
	if n < 200*12*4 {
		t.Errorf("only %d prefixes", n)
	}
}
