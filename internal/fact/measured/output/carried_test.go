package output

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCollected: what a collector, a pipeline, an editor or a wiki put before each line, or the
// JSON around it, does not change what is read.
func TestCollected(t *testing.T) {
	lines := strings.Split(strings.TrimRight(flushes, "\n"), "\n")
	each := func(format func(i int, s string) string) string {
		var b strings.Builder
		for i, line := range lines {
			b.WriteString(format(i, line) + "\n")
		}
		return b.String()
	}
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for name, text := range map[string]string{
		"a step in colors":   each(func(_ int, s string) string { return "\x1b[32m[disk bench]\x1b[0m " + s }),
		"compose":            each(func(_ int, s string) string { return "bench-1   | " + s }),
		"compose with times": each(func(_ int, s string) string { return "bench-1   | 2026-01-02T03:04:05.6Z " + s }),
		"a pod": each(func(_ int, s string) string {
			return "[pod/bench-x7/main] 2026-01-02T03:04:05.678Z " + s
		}),
		"syslog":  each(func(_ int, s string) string { return "Feb 11 03:00:15 host9 run.sh[812]: " + s }),
		"russian": each(func(_ int, s string) string { return "янв 05 03:00:15 host9 run.sh[812]: " + s }),
		"iso syslog": each(func(_ int, s string) string {
			return "2026-02-11T03:00:15+01:00 host9 run.sh[812]: " + s
		}),
		"ts":          each(func(_ int, s string) string { return "Feb 11 03:00:15 " + s }),
		"a logger":    each(func(_ int, s string) string { return "2026-02-11 03:00:15,120 INFO " + s }),
		"in brackets": each(func(_ int, s string) string { return "[2026-02-11 03:00:15] " + s }),
		"clock":       each(func(i int, s string) string { return fmt.Sprintf("03:00:%02d  %s", 15+i, s) }),
		"wiki":        each(func(_ int, s string) string { return "| " + s + " |" }),
		"cat -n":      each(func(i int, s string) string { return fmt.Sprintf("%6d\t%s", i+1, s) }),
		"an editor":   each(func(i int, s string) string { return fmt.Sprintf("%3d | %s", i+1, s) }),
		"json-file": each(func(_ int, s string) string {
			return `{"log":` + quote(s+"\n") + `,"stream":"stdout","time":"2026-01-02T03:04:05.6Z"}`
		}),
		"journal":    each(func(_ int, s string) string { return `{"MESSAGE":` + quote(s) + `,"_PID":"812"}` }),
		"a list":     "\"lines\": [\n" + each(func(_ int, s string) string { return "    " + quote(s) + "," }) + "]\n",
		"yaml":       "lines:\n" + each(func(_ int, s string) string { return "  - " + quote(s) }),
		"one string": `"stdout": ` + quote(flushes),
	} {
		t.Run(name, func(t *testing.T) {
			x := one(t, text).Fsync
			if x == nil || len(x.One) != 5 || x.One[0].PerSecond != 1940.579 || x.One[4].PerSecond != 1702.405 ||
				!x.One[3].Missing || x.Seconds != 5 || !x.DirectIO {
				t.Errorf("%+v\n%s", x, text)
			}
		})
	}
}

// TestNotCarried: what looks like such a mark and belongs to the line stays.
func TestNotCarried(t *testing.T) {
	const sb = "[ 10s ] thds: 4 tps: 100.50 qps: 2010.00 (r/w/o: 1407/402/201) lat (ms,95%): 50.10 err/s: 0.00\n" +
		"[ 20s ] thds: 4 tps: 101.50 qps: 2030.00 (r/w/o: 1421/406/203) lat (ms,95%): 50.20 err/s: 0.00\n" +
		"[ 30s ] thds: 4 tps: 102.50 qps: 2050.00 (r/w/o: 1435/410/205) lat (ms,95%): 50.30 err/s: 0.00\n"
	if x := one(t, sb).Sysbench; x == nil || len(x.Progress) != 3 || x.Progress[2].At != 30 {
		t.Errorf("%+v", x)
	}
	const table = "Linux 6.1.0 (h) \t02/17/26 \t_x86_64_\t(8 CPU)\n\n" +
		"08:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n" +
		"08:10:01        all     71.22      0.00     18.40      0.31      6.02      4.05\n" +
		"08:20:01        all     73.01      0.00     17.92      0.22      6.40      2.45\n"
	if x := one(t, table).Sar; x == nil || len(x.CPU) != 2 || x.CPU[1].At != "08:20:01" {
		t.Errorf("%+v", x)
	}
}

// TestReportThroughTs: lines of a report that look like a host and a program stay.
func TestReportThroughTs(t *testing.T) {
	var b strings.Builder
	for _, l := range []string{"pgbench (17.4)", "transaction type: <builtin: select only>", "scaling factor: 200",
		"query mode: prepared", "number of clients: 16", "number of threads: 4", "duration: 60 s",
		"number of transactions actually processed: 108706", "latency average = 8.829 ms",
		"tps = 1812.202911 (without initial connection time)"} {
		b.WriteString("Mar 10 14:02:51 " + l + "\n")
	}
	if p := one(t, b.String()).Pgbench; p == nil || p.Scale != 200 || p.Mode != "prepared" || p.Clients != 16 ||
		p.Type != "<builtin: select only>" || *p.TPS != 1812.202911 {
		t.Errorf("%+v", p)
	}
}

// TestGrep: lines of several files are several runs, whatever kind of program they are of.
func TestGrep(t *testing.T) {
	r, err := Read([]byte("a/c8.log:tps = 100.5 (without initial connection time)\n" +
		"a/c16.log:tps = 190.5 (without initial connection time)\n"))
	if err != nil || len(r.Outputs) != 2 || *r.Outputs[1].Pgbench.TPS != 190.5 {
		t.Errorf("%v %+v", err, r)
	}
	r, err = Read([]byte("n1.txt:12:tps = 100.5 (including connections establishing)\n" +
		"n1.txt:13:tps = 110.5 (excluding connections establishing)\n" +
		"n2.txt:12:tps = 200.5 (including connections establishing)\n" +
		"n2.txt:13:tps = 210.5 (excluding connections establishing)\n"))
	if err != nil || len(r.Outputs) != 2 || *r.Outputs[1].Pgbench.TPS != 210.5 ||
		*r.Outputs[0].Pgbench.TPSConnecting != 100.5 {
		t.Errorf("%v %+v", err, r)
	}
	r, err = Read([]byte("gp3/fsync.txt:        fdatasync                       493.815 ops/sec    2025 usecs/op\n" +
		"nvme/fsync.txt:        fdatasync                         18104.330 ops/sec      55 usecs/op\n"))
	if err != nil || len(r.Outputs) != 2 || r.Outputs[1].Fsync.One[0].PerSecond != 18104.33 {
		t.Errorf("%v %+v", err, r)
	}
}

// TestRetyped: a table that somebody made of rates, by its separators; a column of times is none.
func TestRetyped(t *testing.T) {
	for name, text := range map[string]string{
		"markdown": "pg_test_fsync, ops/sec:\n\n| method | disk a | disk b |\n|---|---:|---:|\n" +
			"| fdatasync | 764.882 | 18104.330 |\n| fsync | 398.1 | 17790 |\n",
		"csv":     "results of pg_test_fsync\nmethod,disk a,disk b\nfdatasync,764.882,18104.330\nfsync,398.1,17790\n",
		"columns": "ops/sec\nmethod  a  b\nfdatasync    764.882   18104.330\nfsync  398.1   17790\n",
		"time too": "| method | disk a ops/sec | usecs/op | disk b ops/sec |\n|---|---|---|---|\n" +
			"| fdatasync | 764.882 | 1307 | 18104.330 |\n| fsync | 398.1 | 2512 | 17790 |\n",
	} {
		r, err := Read([]byte(text))
		if err != nil || len(r.Outputs) != 2 || r.Outputs[0].Fsync.One[0].PerSecond != 764.882 ||
			r.Outputs[1].Fsync.One[0].PerSecond != 18104.33 || !r.Outputs[0].Cut {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
	if _, err := Read([]byte("| fsync | 12 | 13 |\n| fdatasync | 14 | 15 |\n")); err != ErrNone {
		t.Error("a table that says not of what it is:", err)
	}
}
