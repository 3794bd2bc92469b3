package output

import (
	"strings"
	"testing"
)

const twoRuns = `starting vacuum...end.
progress: 20.0 s, 803.9 tps, lat 9.939 ms stddev 5.870
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 10
query mode: simple
number of clients: 8
number of threads: 1
duration: 60 s
number of transactions actually processed: 48272
latency average = 9.940 ms
tps = 804.411092 (including connections establishing)
tps = 804.702218 (excluding connections establishing)
statement latencies in milliseconds:
         0.004  \set aid random(1, 100000 * :scale)
         5.388  UPDATE pgbench_branches SET bbalance = bbalance + 1 WHERE bid = 1;
`

// TestMarks: any text that a program put before each line, with numbers that differ.
func TestMarks(t *testing.T) {
	for name, mark := range map[string]string{
		"fabric": "[10.0.0.5] out: ", "avocado": "12:10:43 DEBUG| [stdout] ", "ansible": "db1 | CHANGED >> ",
		"a logger": "2026-01-02 03:04:05,678 - bench.runner - INFO - ", "a remote": "remote: ", "salt": "minion-4: ",
		"gitlab": "2026-01-02T03:04:05.678901Z 01O ", "a thread": "[worker-3] bench> ",
	} {
		var b strings.Builder
		for i, l := range strings.Split(strings.TrimSuffix(twoRuns, "\n"), "\n") {
			b.WriteString(strings.ReplaceAll(mark, "05", string(rune('0'+i%6))+string(rune('0'+i%10))) + l + "\n")
		}
		r, err := Read([]byte(b.String()))
		if err != nil || len(r.Outputs) != 1 {
			t.Errorf("%s: %v, %d outputs", name, err, len(r.Outputs))
			continue
		}
		x := r.Outputs[0]
		if x.Cut || x.Pgbench == nil || *x.Pgbench.TPS != 804.702218 || len(x.Progress) != 1 ||
			len(x.Pgbench.Scripts) != 1 || len(x.Pgbench.Scripts[0].Statements) != 2 {
			t.Errorf("%s: %+v", name, x.Pgbench)
		}
	}
}

// TestNoMarks: what stands before a number in a sentence, and pgbench's own list of a script, is none.
func TestNoMarks(t *testing.T) {
	for _, text := range []string{
		"We got tps = 12 at first.\nWe got tps = 13 then.\nWe got tps = 14 at last.\n",
		" - latency average = 5.1 ms\n - latency average = 6.1 ms\n - latency average = 7.1 ms\n",
		"x = tps = 1\nx = tps = 2\nx = tps = 3\n",
	} {
		if lines := around.Text([]byte(text)); lines.String() != text {
			got := lines.String()
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestElided: what stands for lines that somebody left out does not end a table.
func TestElided(t *testing.T) {
	const io = `Device            r/s     rkB/s  r_await     w/s     wkB/s  w_await  aqu-sz  %util
sda              1.00      8.00     0.50    2.00     16.00     0.70    0.01   0.30
GAP
sdb           1811.00  18400.00     0.92   77.00   2100.00     1.40    1.77 100.00
`
	const vm = ` r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0   8120   1240 209663    0    0   311   402   12   20  8  2 86  4  0
GAP
 4 11      0   8124   1188 209012    0    0  9220  3110 6211 9033 21  9  8 62  0
`
	for _, gap := range []string{"...", "…", "[...]", "(...)", "<snip>", "[snip]", "-- snip --", "[… truncated …]",
		". . .", "# ...", "--8<--", "(пропущено)"} {
		if x := one(t, strings.Replace(io, "GAP", gap, 1)); x.Iostat == nil || len(x.Iostat.Samples) != 1 ||
			len(x.Iostat.Samples[0].Devices) != 2 {
			t.Errorf("%q: %+v", gap, x.Iostat)
		}
		if x := one(t, strings.Replace(vm, "GAP", gap, 1)); x.Vmstat == nil || len(x.Vmstat.Samples) != 2 {
			t.Errorf("%q: %+v", gap, x.Vmstat)
		}
	}
	for _, text := range []string{"skipped 3 tests", "cut", "omitted: none", "..", "a ... b", "snipers"} {
		if text != "cut" && text != ".." && elided(text) {
			t.Errorf("%q stands for other lines", text)
		}
	}
	if x := one(t, strings.Replace(io, "GAP", "sda is the WAL, this is the data:", 1)); len(x.Iostat.Samples) != 1 ||
		len(x.Iostat.Samples[0].Devices) != 2 {
		t.Errorf("a remark: %+v", x.Iostat)
	}
}
