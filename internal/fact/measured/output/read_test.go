package output

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

// one reads a text that holds one output.
func one(t *testing.T, text string) *Output {
	t.Helper()
	r, err := Read([]byte(text))
	if err != nil || len(r.Outputs) != 1 {
		t.Fatalf("%v: %+v", err, r)
	}
	return &r.Outputs[0]
}

// TestLanguages: what PostgreSQL prints in each language that it has holds the same numbers.
func TestLanguages(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/languages.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		t.Run(f.Name, func(t *testing.T) {
			o := one(t, string(f.Data))
			if strings.HasPrefix(f.Name, "timing") {
				c := o.Timing
				if c == nil || len(c.Clocks) != 1 || c.Clocks[0].LoopNanos != 722.92 || len(c.Clocks[0].Steps) != 3 ||
					c.Clocks[0].Steps[1] != (measured.Step{Below: 2000, Count: 2990371}) || c.Seconds != 3 || o.Cut {
					t.Errorf("%+v", c)
				}
				return
			}
			x := o.Fsync
			if x == nil || x.Seconds != 5 || !x.DirectIO || o.Cut {
				t.Fatalf("%+v, cut: %v", x, o.Cut)
			}
			var got []float64
			for _, list := range [][]measured.Rate{x.One, x.Two, x.Sizes, x.Descriptors} {
				for _, r := range list {
					got = append(got, r.PerSecond)
				}
			}
			if want := []float64{1940.579, 493.815, 608.597, 0, 1702.405, 970.289, 246.907, 304.298, 0, 851.202,
				1608.762, 30.327, 11.614, 79.1, 5.25, 553.2, 601.75}; !slices.EqualFunc(got, want,
				func(a, b float64) bool { return a-b < 0.0011 && b-a < 0.0011 }) {
				t.Errorf("%v", got)
			}
			if x.Plain == nil || x.Plain.PerSecond != 326155.4 || !x.One[3].Missing {
				t.Errorf("%+v", x)
			}
		})
	}
}

const flushes = `5 seconds per test
O_DIRECT supported on this platform for open_datasync and open_sync.

Compare file sync methods using one 8kB write:
(in wal_sync_method preference order, except fdatasync is Linux's default)
        open_datasync                      1940.579 ops/sec     515 usecs/op
        fdatasync                           493.815 ops/sec    2025 usecs/op
        fsync                               608.597 ops/sec    1643 usecs/op
        fsync_writethrough                              n/a
        open_sync                          1702.405 ops/sec     587 usecs/op
`

// TestCarried: what carried a text does not change what is read of it.
func TestCarried(t *testing.T) {
	each := func(format func(string) string) string {
		var b strings.Builder
		for line := range strings.Lines(flushes) {
			b.WriteString(format(strings.TrimRight(line, "\n")) + "\n")
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"windows":    strings.ReplaceAll(flushes, "\n", "\r\n"),
		"old mac":    strings.ReplaceAll(flushes, "\n", "\r"),
		"no spaces":  each(strings.TrimSpace),
		"one space":  each(func(s string) string { return strings.Join(strings.Fields(s), " ") }),
		"one line":   strings.Join(strings.Fields(flushes), " "),
		"deep":       each(func(s string) string { return "\t\t    " + s }),
		"quoted":     each(func(s string) string { return "> > " + s }),
		"commented":  each(func(s string) string { return "# " + s }),
		"docker":     each(func(s string) string { return "2026-01-02T03:04:05.678901234Z " + s }),
		"kubernetes": each(func(s string) string { return "2026-01-02T03:04:05.678901234Z stdout F " + s }),
		"markdown": each(func(s string) string {
			return strings.NewReplacer("_", `\_`, "*", `\*`, "'", `\'`).Replace(s)
		}),
		"html":    strings.ReplaceAll(flushes, " ", "&nbsp;"),
		"colors":  each(func(s string) string { return "\x1b[0;32m" + s + "\x1b[0m" }),
		"commas":  strings.NewReplacer("1940.579", "1940,579", "493.815", "493,815").Replace(flushes),
		"a bom":   "\uFEFF" + flushes,
		"latin-1": "Zeit\xe4nderung\n" + flushes,
		"nbsp":    strings.ReplaceAll(flushes, " ", "\u00a0"),
	} {
		t.Run(name, func(t *testing.T) {
			x := one(t, text).Fsync
			if x == nil || len(x.One) != 5 || x.One[0].PerSecond != 1940.579 || x.One[1].PerSecond != 493.815 ||
				!x.One[3].Missing || x.Seconds != 5 || !x.DirectIO {
				t.Errorf("%+v", x)
			}
		})
	}
}

// TestRuns: two runs are two, and neither has the other's values.
func TestRuns(t *testing.T) {
	other := strings.NewReplacer("1940.579", "80.125", "493.815", "79.5").Replace(flushes)
	r, err := Read([]byte("before:\n" + flushes + "after:\n" + other))
	if err != nil || len(r.Outputs) != 2 {
		t.Fatalf("%v: %+v", err, r)
	}
	a, b := r.Outputs[0].Fsync, r.Outputs[1].Fsync
	if len(a.One) != 5 || len(b.One) != 5 || a.One[0].PerSecond != 1940.579 || b.One[0].PerSecond != 80.125 ||
		r.Outputs[1].Line != 13 {
		t.Errorf("%+v\n%+v\nline %d", a, b, r.Outputs[1].Line)
	}
}

// TestSeed reads the two outputs of the article that the project began with: its numbers of
// lines stand between them.
func TestSeed(t *testing.T) {
	b, err := os.ReadFile("testdata/seed_wal_sync_method.txt")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(b)
	if err != nil || len(r.Outputs) != 2 || r.Outputs[0].Cut || r.Outputs[1].Cut {
		t.Fatalf("%v: %+v", err, r)
	}
	w, l := r.Outputs[0].Fsync, r.Outputs[1].Fsync
	if w.One[0].PerSecond != 48817.44 || w.One[2].PerSecond != 79.688 || !w.One[1].Missing ||
		w.Plain.PerSecond != 1800.319 || l.One[1].PerSecond != 80.349 || l.Two[4].PerSecond != 19.659 ||
		l.Plain.PerSecond != 484193.516 {
		t.Errorf("%+v\n%+v", w, l)
	}
}

// TestSysbenchSeed: the form of sysbench 1.0.20 as it ran on the server of the other seed.
func TestSysbenchSeed(t *testing.T) {
	for name, tps := range map[string]float64{"rw": 238.35, "rate": 103.38, "events": 8255.88} {
		b, err := os.ReadFile("../testdata/sysbench/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(b)
		if err != nil || len(r.Outputs) != 1 || r.Outputs[0].Sysbench == nil || r.Outputs[0].Cut {
			t.Fatalf("%s: %v: %+v", name, err, r)
		}
		if s := r.Outputs[0].Sysbench; s.TPS == nil || *s.TPS != tps || s.Latency == nil || s.Threads == 0 {
			t.Errorf("%s: %v %+v", name, *s.TPS, s)
		}
	}
}

// TestSame: what the readers of whole outputs read of them, this one reads too.
func TestSame(t *testing.T) {
	for _, name := range []string{"fsync_15", "fsync_91", "fsync_no_direct_io", "fsync_windows", "timing_10_hpet",
		"timing_15", "timing_18", "timing_19", "timing_92"} {
		b, err := os.ReadFile("../testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("../testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		o := one(t, string(b))
		var got any = o.Fsync
		if o.Timing != nil {
			got = o.Timing
		}
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(string(text)) != strings.TrimSpace(string(want)) &&
			!strings.Contains(string(text), `"operations"`) {
			t.Errorf("%s: %s\nwant %s", name, text, want)
		}
	}
	for _, name := range []string{"fio_2", "fio_fdatasync_8k", "fio_randread_8k"} {
		b, err := os.ReadFile("../testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		want, err := measured.ParseFio(b)
		if err != nil {
			t.Fatal(err)
		}
		o := one(t, string(b))
		if o.Fio == nil || len(o.Fio.Jobs) != len(want.Jobs) || o.Version != want.Version {
			t.Fatalf("%s: %+v", name, o)
		}
		for i, j := range want.Jobs {
			g := o.Fio.Jobs[i]
			if j.Read.PerSecond > 0 &&
				(g.Read == nil || g.Read.PerSecond != j.Read.PerSecond || g.Read.P99 != j.Read.P99) ||
				j.Sync.Mean > 0 && (g.Sync == nil || g.Sync.Mean != j.Sync.Mean || g.Sync.P99 != j.Sync.P99) {
				t.Errorf("%s: %+v, want %+v", name, g, j)
			}
		}
	}
}

// TestPgbenchFiles: the reports of 13 to 18 that prove is tested with.
func TestPgbenchFiles(t *testing.T) {
	files, err := os.ReadDir("../testdata/pgbench")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		ar, err := txtar.ParseFile("../testdata/pgbench/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range ar.Files {
			want, err := measured.ParsePgbench(x.Data)
			if err != nil {
				continue
			}
			n++
			o := one(t, string(x.Data))
			p := o.Pgbench
			if p == nil || p.Processed == nil || *p.Processed != want.Transactions || p.Clients != want.Clients ||
				(p.TPS == nil) != (want.TPS == nil) || p.TPS != nil && *p.TPS != *want.TPS ||
				len(p.Scripts) != len(want.Scripts) {
				t.Errorf("%s, %s: %+v\nwant %+v", f.Name(), x.Name, p, want)
				continue
			}
			for i, w := range want.Scripts {
				if g := p.Scripts[i]; len(g.Statements) != len(w.Statements) {
					t.Errorf("%s, %s: script %d: %d statements, want %d", f.Name(), x.Name, i, len(g.Statements),
						len(w.Statements))
				}
			}
		}
	}
	if n < 5 {
		t.Errorf("%d reports", n)
	}
}

// TestLog: lines of pgbench --log are counted, and its windows leave the ends out.
func TestLog(t *testing.T) {
	var b strings.Builder
	for s := range 31 {
		for n := range 10 + s%2 {
			fmt.Fprintf(&b, "0 %d 2500 0 17000000%02d 5\n", n, s)
		}
	}
	l := one(t, b.String()).Log
	if l == nil || l.Transactions != 325 || l.Seconds != 31 || l.Mean != 2.5 || l.Window != 2 || len(l.TPS) != 14 ||
		l.TPS[0] != 10.5 {
		t.Errorf("%+v", l)
	}
}

// TestFlat: a table or a report that has lost its line breaks gets them back.
func TestFlat(t *testing.T) {
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	ar, err := txtar.ParseFile("testdata/flat.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		want, got := one(t, string(f.Data)), one(t, "before it: "+flat(string(f.Data)))
		want.Line, got.Line = 0, 0
		a, err1 := json.MarshalIndent(want, "", "  ")
		b, err2 := json.MarshalIndent(got, "", "  ")
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s: %s\nwant %s", f.Name, b, a)
		}
	}
}

// TestUnits: vmstat -S changes the units of memory, which only the command tells.
func TestUnits(t *testing.T) {
	const table = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n" +
		" 2  1      0    512    120  28000    0    0    10    20   30   40  1  1 97  1  0\n"
	if v := one(t, "$ vmstat -S M 5\n"+table).Vmstat; v.Unit != "MB" || v.Samples[0].Free != 512 {
		t.Errorf("%+v", v)
	}
	if v := one(t, "$ vmstat 5\n"+table).Vmstat; v.Unit != "" {
		t.Errorf("%+v", v)
	}
}

// TestAggregatedLog is the example of pgbench's page.
func TestAggregatedLog(t *testing.T) {
	l := one(t, "1345828501 5601 1542744 483552416 61 2573\n1345828503 7884 1979812 565806736 60 1479\n"+
		"1345828505 7208 1979422 567277552 59 1391\n").Log
	if l == nil || l.Transactions != 20693 || l.Window != 2 || l.Seconds != 4 || l.Max != 2.573 || len(l.TPS) != 2 ||
		l.TPS[0] != 2800.5 {
		t.Errorf("%+v", l)
	}
}

// TestCutJSON: of a document that was cut, the jobs that are whole are read, and it is told.
func TestCutJSON(t *testing.T) {
	b, err := os.ReadFile("../testdata/fio_randread_8k.txt")
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(b), `"trim"`)
	if at < 0 {
		t.Fatal("no trim in it")
	}
	o := one(t, string(b[:at]))
	if !o.Cut || len(o.Fio.Jobs) != 1 || o.Fio.Jobs[0].Read == nil || o.Fio.Jobs[0].Read.PerSecond <= 0 {
		t.Errorf("%+v", o)
	}
}

// TestUnread: what looks like a line of such a program is not passed over in silence.
func TestUnread(t *testing.T) {
	r, err := Read([]byte("fdatasync ≈ 551.816 ops/sec\n" + flushes + "about 12 ops/sec, they say\n"))
	if err != nil || len(r.Unread) != 1 || r.Unread[0].Count != 2 || r.Unread[0].Line != 1 {
		t.Errorf("%v: %+v", err, r.Unread)
	}
	if _, err := Read([]byte("127.0.0.1 localhost\n")); err != ErrNone {
		t.Error(err)
	}
}

// TestPerfBench: rates of another program are none of pg_test_fsync, nor its own times.
func TestPerfBench(t *testing.T) {
	const bench = " 1,056.293 usecs/op 2.330 usecs/op to baseline\n    127061 ops/sec\n    0.195 usecs/op\n"
	if r, err := Read([]byte(bench)); err != ErrNone {
		t.Errorf("%+v", r)
	}
	if x := one(t, flushes+bench).Fsync; x.Plain != nil || len(x.One) != 5 {
		t.Errorf("%+v", x)
	}
}

// BenchmarkRead reads the longest file that is taken, of short lines and of one long line.
func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{"rows": "        fdatasync        1940.579 ops/sec     515 usecs/op\n",
		"words": "fio said: iops here, and tps = there\n", "empty": "\n", "digits": "1 ", "names": "read: IOPS=1, ",
		"json": "{\n\"fio version\"\n", "wrapped": "{\"log\":\"tps = 1\"}\n", "named": "[x] tps = 1\n",
		"listed": "a.log:tps = 1.5 (w)\n", "texts": "\"a\\tb\",\n", "terse": "3;fio-3.33;a;0;0;1;2;3;4\n",
		"sysstat": "{\n\"sysstat\"\n", "progress": "Jobs: 1 (f=1): [r(1)] ", "numbered": "1: tps = \n",
		"escaped": `tps = 1\n`, "retyped": "pg_test_fsync\n|fsync|1|2|\n|fdatasync|1|2|\n"} {
		b.Run(name, func(b *testing.B) {
			in := []byte(strings.Repeat(text, maxBytes/len(text)))
			for b.Loop() {
				_, _ = Read(in)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(flushes))
	for _, dir := range []string{"testdata/", "../testdata/", "../testdata/sysbench/", "../testdata/pgbench/"} {
		list, err := os.ReadDir(dir)
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range list {
			if b, err := os.ReadFile(dir + e.Name()); err == nil && !e.IsDir() {
				f.Add(b)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Read(b)
		if err != nil {
			return
		}
		if len(r.Outputs) > maxOutputs {
			t.Error(len(r.Outputs))
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
		for i := range r.Outputs {
			if r.Outputs[i].Line < 1 || !r.Outputs[i].filled() {
				t.Errorf("%+v", r.Outputs[i])
			}
		}
	})
}
