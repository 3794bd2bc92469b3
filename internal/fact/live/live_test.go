package live

import (
	"os"
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
	want := []Symbol{{8.64, "postgres", false, "s_lock"}, {4.44, "cat", true, "smaps_pte_entry"},
		{2.51, "init", true, "poll_idle"}, {2.28, "postgres", true, "compaction_alloc"},
		{2.03, "postgres", true, "_spin_lock"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("with children (-want +got)\n%s", d)
	}
	got, err = ParsePerf(file(t, "perf_report.txt"))
	if err != nil || len(got) != 11 {
		t.Fatalf("%d symbols, %v", len(got), err)
	}
	for i, want := range map[int]Symbol{0: {6.3, "postgres", true, "_raw_spin_unlock_irqrestore"},
		1: {5.58, "pgbench", true, "_raw_spin_unlock_irqrestore"}, 7: {1.51, "postgres", false, "_bt_compare"},
		8: {1.28, "postgres", false, "0x000000000043cb22"}} {
		if d := cmp.Diff(want, got[i]); d != "" {
			t.Errorf("symbol %d (-want +got)\n%s", i, d)
		}
	}
	if got, err = ParsePerf([]byte("    3.00%  tokio worker 1  libc.so.6  [.] memcpy\n")); err != nil ||
		got[0].Command != "tokio worker 1" {
		t.Errorf("a command of several words: %+v, %v", got, err)
	}
	for _, bad := range []string{"", "Error:\nThe - data has no samples!\n", "  101.00%  a  b  [k] c\n",
		"NaN%  a  b  [k] c\n"} {
		if s, err := ParsePerf([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

// FuzzPerf verifies that no report of perf breaks its reader, and that none makes a number that is no share.
func FuzzPerf(f *testing.F) {
	f.Add(file(f, "perf_report.txt"))
	f.Add(file(f, "perf_children.txt"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := ParsePerf(b); err == nil {
			for _, s := range list {
				if !(s.Percent >= 0 && s.Percent <= 100) || s.Name == "" || len(list) > maxSymbols {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}
