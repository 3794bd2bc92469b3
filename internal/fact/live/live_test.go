package live

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestParsePerf(t *testing.T) {
	got, err := ParsePerf(file(t, "perf_children.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Symbol{{8.64, "postgres", false, "s_lock"}, {4.44, "cat", true, "smaps_pte_entry"}, {2.51, "init", true, "poll_idle"}, {2.28, "postgres", true, "compaction_alloc"}, {2.03, "postgres", true, "_spin_lock"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("with children (-want +got)\n%s", d)
	}
	got, err = ParsePerf(file(t, "perf_report.txt"))
	if err != nil || len(got) != 11 {
		t.Fatalf("%d symbols, %v", len(got), err)
	}
	for i, want := range map[int]Symbol{0: {6.3, "postgres", true, "_raw_spin_unlock_irqrestore"}, 1: {5.58, "pgbench", true, "_raw_spin_unlock_irqrestore"}, 7: {1.51, "postgres", false, "_bt_compare"}, 8: {1.28, "postgres", false, "0x000000000043cb22"}} {
		if d := cmp.Diff(want, got[i]); d != "" {
			t.Errorf("symbol %d (-want +got)\n%s", i, d)
		}
	}
	if got, err = ParsePerf([]byte("    3.00%  tokio worker 1  libc.so.6  [.] memcpy\n")); err != nil || got[0].Command != "tokio worker 1" {
		t.Errorf("a command of several words: %+v, %v", got, err)
	}
	for _, bad := range []string{"", "Error:\nThe - data has no samples!\n", "  101.00%  a  b  [k] c\n", "NaN%  a  b  [k] c\n"} {
		if s, err := ParsePerf([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

func TestParseStat(t *testing.T) {
	got, err := ParseStat([]byte("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nctxt 99\nbtime 5\nprocs_running 3\nprocs_blocked 1\n"))
	want := CPU{User: 1, Nice: 2, System: 3, Idle: 4, IOWait: 5, IRQ: 6, SoftIRQ: 7, Steal: 8, Switches: 99, Running: 3, Blocked: 1}
	if err != nil || got != want || got.All() != 36 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "cpu 1 2 3\n", "cpu  1 2 3 4 5 6 7 x\n", "cpu  1 2 3 4 5 6 7 -1\n", "ctxt 9\n", "cpu  1 2 3 4 5 6 7 8\nprocs_running 3\n"} {
		if c, err := ParseStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, c)
		}
	}
}

func TestParseProcStat(t *testing.T) {
	got, err := ParseProcStat([]byte("4242 (a) b (c) S 17 1 1 0 -1 4194560 120 0 7 0 30 12 0 0 20 0 1 0 5 6\n"))
	want := ProcStat{PID: 4242, Parent: 17, Name: "a) b (c", Minor: 120, Major: 7, Ticks: 42}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "4 (a S 1", "x (a) S 1 1 1 0 -1 4 120 0 7 0 30 12", "4 (a) S 1 1", "4 (a) S y 1 1 0 -1 4 120 0 7 0 30 12 0"} {
		if p, err := ParseProcStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}

func TestParsePSI(t *testing.T) {
	got, err := ParsePSI([]byte("some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=99\n"))
	if err != nil || got != (PSI{1234, 99}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "full total=1\n", "some total=-1\n", "some avg10=1\n"} {
		if p, err := ParsePSI([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}

func TestParseCounters(t *testing.T) {
	got, err := ParseCounters([]byte("a 1\npgfault 18446744073709551615\npgmajfault 7\nodd line here\n"), VMNames)
	if err != nil || len(got) != 2 || got["pgmajfault"] != 7 || got["pgfault"] != 1<<59 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := ParseCounters([]byte("pgfault x\n"), VMNames); err == nil {
		t.Errorf("%v", got)
	}
	if _, err := ParseCounters([]byte(strings.Repeat("a 1\n", maxLines+1)), VMNames); err == nil {
		t.Error("a file without end was read")
	}
}

// FuzzReaders holds that no text breaks a reader, and that none makes a number
// that is negative or no share.
func FuzzReaders(f *testing.F) {
	f.Add(file(f, "perf_report.txt"))
	f.Add(file(f, "perf_children.txt"))
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8\nctxt 9\nsome total=3\npgfault 5\n"))
	f.Add([]byte("4242 (a) b (c) S 17 1 1 0 -1 4194560 120 0 7 0 30 12 0 0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ParseStat(b); err == nil && (c.All() < 0 || c.Switches < 0) {
			t.Errorf("%+v", c)
		}
		if p, err := ParsePSI(b); err == nil && (p.Some < 0 || p.Full < 0) {
			t.Errorf("%+v", p)
		}
		if p, err := ParseProcStat(b); err == nil && (p.PID <= 0 || p.Ticks < 0) {
			t.Errorf("%+v", p)
		}
		if m, err := ParseCounters(b, VMNames); err == nil {
			for k, v := range m {
				if v < 0 {
					t.Errorf("%s %d", k, v)
				}
			}
		}
		if list, err := ParsePerf(b); err == nil {
			for _, s := range list {
				if !(s.Percent >= 0 && s.Percent <= 100) || s.Name == "" || len(list) > maxSymbols {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}
