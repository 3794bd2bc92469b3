package host

import (
	"strings"
	"testing"
)

func TestParseCPUCounters(t *testing.T) {
	got, err := ParseCPUCounters(
		[]byte(
			"cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nctxt 99\nbtime 5\nprocs_running 3\nprocs_blocked " +
				"1\n"))
	want := CPUCounters{User: 1, Nice: 2, System: 3, Idle: 4, IOWait: 5, IRQ: 6, SoftIRQ: 7, Steal: 8, Switches: 99,
		Running: 3, Blocked: 1}
	if err != nil || got != want || got.All() != 36 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "cpu 1 2 3\n", "cpu  1 2 3 4 5 6 7 x\n", "cpu  1 2 3 4 5 6 7 -1\n", "ctxt 9\n",
		"cpu  1 2 3 4 5 6 7 8\nprocs_running 3\n"} {
		if c, err := ParseCPUCounters([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, c)
		}
	}
}

func TestParsePSITotals(t *testing.T) {
	got, err := ParsePSITotals(
		[]byte("some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=99\n"))
	if err != nil || got != (PSITotals{1234, 99}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "full total=1\n", "some total=-1\n", "some avg10=1\n"} {
		if p, err := ParsePSITotals([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}

func TestParseCounters(t *testing.T) {
	got, err := ParseCounters([]byte("a 1\npgfault 18446744073709551615\npgmajfault 7\nodd line here\n"),
		[]string{"pgfault", "pgmajfault"})
	if err != nil || len(got) != 2 || got["pgmajfault"] != 7 || got["pgfault"] != 1<<59 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := ParseCounters([]byte("pgfault x\n"), []string{"pgfault"}); err == nil {
		t.Errorf("%v", got)
	}
	if _, err := ParseCounters([]byte(strings.Repeat("a 1\n", maxLines+1)), nil); err == nil {
		t.Error("a file without end was read")
	}
}

// FuzzCounters verifies that no text breaks a reader of counters, and that none makes a number that is negative.
func FuzzCounters(f *testing.F) {
	f.Add([]byte("cpu  1 2 3 4 5 6 7 8\nctxt 9\nsome total=3\npgfault 5\n"))
	f.Add([]byte("4242 (a) b (c) S 17 1 1 0 -1 4194560 120 0 7 0 30 12 0 0"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := ParseCPUCounters(b); err == nil && (c.All() < 0 || c.Switches < 0) {
			t.Errorf("%+v", c)
		}
		if p, err := ParsePSITotals(b); err == nil && (p.Some < 0 || p.Full < 0) {
			t.Errorf("%+v", p)
		}
		if p, err := ParseProcessStat(b); err == nil && (p.PID <= 0 || p.Ticks < 0) {
			t.Errorf("%+v", p)
		}
		if m, err := ParseCounters(b, []string{"pgfault", "cpu", "ctxt"}); err == nil {
			for k, v := range m {
				if v < 0 {
					t.Errorf("%s %d", k, v)
				}
			}
		}
	})
}
