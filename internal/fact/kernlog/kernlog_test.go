package kernlog

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// TestLogs reads every log of testdata; what was read stands beside it.
func TestLogs(t *testing.T) {
	for _, path := range logs(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			l, err := Read(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			got, golden := dump(l), filepath.Join("testdata", "want", filepath.Base(path)+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func logs(t testing.TB) []string {
	var out []string
	for _, ext := range []string{"log", "json"} {
		l, err := filepath.Glob("testdata/*." + ext)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, l...)
	}
	if len(out) < 13 {
		t.Fatalf("only %d logs in testdata", len(out))
	}
	return out
}

func opt[T any](p *T) string {
	if p == nil {
		return "?"
	}
	return fmt.Sprint(*p)
}

// dump writes what was read, one fact after the other.
func dump(l *Log) string {
	var b strings.Builder
	fmt.Fprintf(&b, "lines %d, cut %v\n", l.Lines, l.Cut)
	for i := range l.Reports {
		r := &l.Reports[i]
		fmt.Fprintf(&b,
			"report at %q kernel %q asker %q pid %d order %d adj %s\n  constraint %q group %q of %q page %d\n",
			r.At.Text, r.Kernel, r.Asker.Name, r.Asker.PID, r.Asker.Order, opt(r.Asker.Adj), r.Constraint, r.Group,
			r.TaskGroup, r.PageSize)
		if m := r.Info; m != nil {
			fmt.Fprintf(&b,
				"  pages: anon %s+%s slab %s shmem %s tables %s free %s ram %s reserved %s; swap %s of %s free; "+
					"huge %v\n", opt(m.ActiveAnon), opt(m.InactiveAnon), opt(m.SlabUnreclaimable), opt(m.Shmem),
				opt(m.PageTables), opt(m.Free), opt(m.RAM), opt(m.Reserved), opt(m.SwapFree), opt(m.SwapTotal), m.Huge)
		}
		if m := r.Memcg; m != nil {
			fmt.Fprintf(&b, "  group: %s of %s, swap %s of %s (together %v), %d figures, anon %d rss %d shmem %d\n",
				opt(m.Usage), opt(m.Limit), opt(m.SwapUsage), opt(m.SwapLimit), m.SwapTogether, len(m.Stat),
				m.Stat["anon"], m.Stat["rss"], m.Stat["shmem"])
		}
		fmt.Fprintf(&b, "  tasks %d header %v pids %v split %v tables %v\n", len(r.Table.Tasks), r.Table.Header,
			r.Table.PIDs, r.Table.Split, r.Table.PageTables)
		for _, k := range r.Table.Tasks[max(0, len(r.Table.Tasks)-3):] {
			fmt.Fprintf(&b, "    %d %d %q rss %d (%d %d %d) tables %d swap %d adj %d\n", k.PID, k.UID, k.Name, k.RSS,
				k.Anon, k.File, k.Shm, k.PageTables, k.Swap, k.Adj)
		}
		for _, v := range r.Victims {
			fmt.Fprintf(&b,
				"  victim %d %q uid %d vm %s anon %s file %s shmem %s tables %s adj %s reaped %v score %s\n", v.PID,
				v.Name, v.UID, opt(v.VM), opt(v.Anon), opt(v.File), opt(v.Shm), opt(v.Ptes), opt(v.Adj), v.Reaped,
				opt(r.Score))
		}
	}
	for _, o := range l.Other {
		fmt.Fprintf(&b, "other %s %q pid %d at %q\n", o.Kind, o.Name, o.PID, o.At.Text)
	}
	return b.String()
}

// TestColumnsOfKernels holds every table that a kernel from 3.10 to 6.18 writes.
func TestColumnsOfKernels(t *testing.T) {
	for kernel, c := range map[string]struct {
		header, row string
		tables      unit.Bytes
		split       bool
	}{
		"3.10": {"[ pid ]   uid  tgid total_vm      rss nr_ptes swapents oom_score_adj name",
			"[ 2160]    26  2160    58041     1231      54      100          -900 postgres", 54 * 4096, false},
		"4.4": {"[ pid ]   uid  tgid total_vm      rss nr_ptes nr_pmds swapents oom_score_adj name",
			"[ 2160]    26  2160    58041     1231      54       3      100          -900 postgres", 57 * 4096, false},
		"4.18": {"[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
			"[   2160]    26  2160    58041     1231   221184      100          -900 postgres", 221184, false},
		"6.8": {
			"[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents " +
				"oom_score_adj name",
			"[   2160]    26  2160    58041     1231      531      600       100   221184      100          -900 " +
				"postgres", 221184, true},
	} {
		for _, without := range []bool{false, true} {
			text := c.header + "\n" + c.row + "\n"
			if without {
				text = c.row + "\n"
			}
			l, err := Read(strings.NewReader("x invoked oom-killer: order=0\n" + text))
			if err != nil || len(l.Reports) != 1 || len(l.Reports[0].Table.Tasks) != 1 {
				t.Errorf("%s without %v: %d reports, %v", kernel, without, len(l.Reports), err)
				continue
			}
			tab := l.Reports[0].Table
			k := tab.Tasks[0]
			if k.PID != 2160 || k.UID != 26 || k.RSS != 1231 || k.Swap != 100 || k.Adj != -900 ||
				k.Name != "postgres" || k.PageTables != c.tables || tab.Split != c.split || tab.Header == without {
				t.Errorf("%s without header %v: %+v %+v", kernel, without, k, tab)
			}
		}
	}
}

// TestKillLines holds every form of the line that names the victim.
func TestKillLines(t *testing.T) {
	for _, c := range []struct {
		text, name string
		pid, uid   int
		anon       string
		constraint Constraint
	}{
		{"Out of memory: Kill process 21 (tmux: server) score 7 or sacrifice child\nKilled process 22 (post (x)) " +
			"total-vm:10kB, anon-rss:8kB, file-rss:0kB, shmem-rss:0kB", "post (x)", 22, -1, "8 kB", Global},
		{"Out of Memory: Kill process 21 (init) score 31 and children.\nOut of memory: Killed process 22 (atd).",
			"atd", 22, -1, "?", Global},
		{"Killed process 23316 (postgres), UID 101, total-vm:8221844kB, anon-rss:1195384kB, file-rss:19160kB, " +
			"shmem-rss:112164kB", "postgres", 23316, 101, "1.14 GB", Unclear},
		{"Memory cgroup out of memory: Killed process 7 (postgres) total-vm:10kB, anon-rss:8kB, file-rss:0kB, " +
			"shmem-rss:0kB, UID:26 pgtables:1kB oom_score_adj:-17", "postgres", 7, 26, "8 kB", Memcg},
		{"Out of Memory: Killed process 12345 (postgres).", "postgres", 12345, -1, "?", Global},
		{"Out of memory (oom_kill_allocating_task): Killed process 9 (a) total-vm:10kB, anon-rss:8kB, file-rss:0kB",
			"a", 9, -1, "8 kB", Global},
	} {
		l, _ := Read(strings.NewReader(c.text + "\n"))
		if len(l.Reports) != 1 || len(l.Reports[0].Victims) != 1 {
			t.Errorf("%s: %+v", c.text, l.Reports)
			continue
		}
		r := l.Reports[0]
		if v := r.Victims[0]; v.Name != c.name || v.PID != c.pid || v.UID != c.uid || opt(v.Anon) != c.anon ||
			r.Constraint != c.constraint {
			t.Errorf("%s: %+v %q", c.text, v, r.Constraint)
		}
	}
}

// TestWholeGroup holds that all that memory.oom.group kills belong to one report.
func TestWholeGroup(t *testing.T) {
	l, _ := Read(strings.NewReader(`a invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,1,oom_memcg=/g,task_memcg=/g,task=a,` +
		`pid=1,uid=0
Memory cgroup out of memory: Killed process 1 (a) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 ` +
		`pgtables:0kB oom_score_adj:0
Tasks in /g are going to be killed due to memory.oom.group set
Memory cgroup out of memory: Killed process 1 (a) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 ` +
		`pgtables:0kB oom_score_adj:0
Memory cgroup out of memory: Killed process 2 (b) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 ` +
		`pgtables:0kB oom_score_adj:0
`))
	if len(l.Reports) != 1 || !l.Reports[0].WholeGroup || len(l.Reports[0].Victims) != 3 || l.Reports[0].Group != "/g" {
		t.Errorf("%+v", l.Reports)
	}
}

// TestSlabs holds the list of the kernel's own caches, largest first.
func TestSlabs(t *testing.T) {
	l, _ := Read(strings.NewReader("x invoked oom-killer: order=3\nUnreclaimable slab info:\nName                   " +
		"   Used          Total\nsmall 1KB 2KB\nbtrfs_extent_map     3207098KB    3375622KB\n"))
	if s := l.Reports[0].Slabs; len(s) != 2 || s[0].Name != "btrfs_extent_map" || s[0].Used != 3375622*unit.KB {
		t.Errorf("%+v", s)
	}
}

// TestInterleaved holds that lines of others between those of a report change
// nothing in it.
func TestInterleaved(t *testing.T) {
	b, err := os.ReadFile("testdata/k601_global_numa2_journal.log")
	if err != nil {
		t.Fatal(err)
	}
	var mixed []string
	for line := range strings.Lines(string(b)) {
		mixed = append(mixed, line, "Nov 21 07:23:06 vm sshd[77]: Accepted publickey for root: Killed process 1 (x)\n",
			"2026-11-21 07:23:06.433 UTC [172] LOG:  checkpoint starting: time\n")
	}
	plain, _ := Read(bytes.NewReader(b))
	got, _ := Read(strings.NewReader(strings.Join(mixed, "")))
	if d := cmp.Diff(dumpReports(plain), dumpReports(got)); d != "" {
		t.Errorf("-alone +interleaved:\n%s", d)
	}
}

func dumpReports(l *Log) string {
	return dump(&Log{Reports: l.Reports})
}

// TestTruncatedAndShuffled holds that no order and no cut of the lines makes
// more victims than lines say, or a report out of nothing.
func TestTruncatedAndShuffled(t *testing.T) {
	for _, path := range logs(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(b), "\n")
		rnd := rand.New(rand.NewSource(1))
		for i := range 40 {
			some := slices.Clone(lines[:rnd.Intn(len(lines)+1)])
			if i%2 == 1 {
				rnd.Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
			}
			text := strings.Join(some, "")
			l, err := Read(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			bounded(t, l, text)
			// A line that is passed over unread tells nothing in any order.
			every := NewReader(nil)
			every.every = true
			if err := every.Add(strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(dump(every.Log()), dump(l)); d != "" {
				t.Errorf("%s: -every line read +as it is:\n%s", path, d)
			}
		}
	}
}

// bounded holds what is true of every reading of every text.
func bounded(t *testing.T, l *Log, text string) {
	t.Helper()
	victims, lines := 0, 1
	for _, end := range []string{"\n", `\n`, `\u000a`, `\u000A`, folded} { // within a field of JSON too
		lines += strings.Count(text, end)
	}
	for _, r := range l.Reports {
		victims += len(r.Victims)
		if len(r.Table.Tasks) > lines {
			t.Errorf("%d tasks in %q", len(r.Table.Tasks), text)
		}
		for _, k := range r.Table.Tasks {
			if k.RSS < 0 || k.PageTables < 0 || k.Swap < 0 || k.Name == "" {
				t.Errorf("%+v", k)
			}
		}
	}
	n := strings.Count(strings.ToLower(text), "process") + strings.Count(text, "oom-kill:") +
		strings.Count(text, "OOM kill of PID") + strings.Count(text, "unable to reap pid")
	if victims > n {
		t.Errorf("%d victims where %d lines could name one", victims, n)
	}
}

// FuzzRead holds that no text makes it panic, or make up what is not there.
func FuzzRead(f *testing.F) {
	for _, path := range logs(f) {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	for _, text := range otherForms(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := Read(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		bounded(t, l, string(b))
		if len(l.Reports) > maxReports || len(l.Other) > maxOther {
			t.Errorf("more than the bounds")
		}
	})
}

// TestExcerpt holds that an excerpt is read as the whole log is, and has no line
// of other programs.
func TestExcerpt(t *testing.T) {
	for _, path := range logs(t) {
		if strings.HasSuffix(path, ".json") {
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		begins := strings.Contains(strings.SplitN(string(b), "\n", 3)[0]+strings.SplitN(string(b), "\n", 3)[1],
			"oom-killer:")
		if !begins || strings.Contains(path, "wrapped") {
			continue // a paste, not what journalctl or dmesg write
		}
		noise := "Nov 21 07:00:00 h sshd[1]: Accepted password for secret\n2026-11-21 07:00:00 UTC [1] LOG:  " +
			"statement: select secret\n"
		whole, _ := Read(bytes.NewReader(b))
		x := Excerpt(noise + string(b) + noise)
		if bytes.Contains(x, []byte("secret")) {
			t.Errorf("%s: lines of others in %q", path, x)
		}
		part, _ := Read(bytes.NewReader(x))
		if d := cmp.Diff(dumpReports(whole), dumpReports(part)); d != "" {
			t.Errorf("%s: -whole +excerpt:\n%s", path, d)
		}
	}
	many := strings.Repeat("a invoked oom-killer: order=0\n"+strings.Repeat("x", 1000)+
		"\nOut of memory: Killed process 1 (a) total-vm:1kB, anon-rss:1kB, file-rss:0kB\n", 4000)
	if x := Excerpt(many + "Out of memory: Killed process 2 (b) total-vm:1kB, anon-rss:1kB, file-rss:0kB\n"); len(
		x) > maxExcerpt || !bytes.Contains(x, []byte("process 2 (b)")) {
		t.Errorf("%d bytes", len(x))
	}
}
