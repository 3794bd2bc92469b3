package host

import "testing"

func TestParseStatLine(t *testing.T) {
	l, err := ParseStatLine([]byte("4242 (a) b (c) S 17 1 1 0 -1 4194560 120 0 7 0 30 12 3 4 20 0 1 0 987 6 55\n"))
	if err != nil || l.ID != "4242" || l.Name != "a) b (c" || l.Len() != StatResidentPages ||
		l.Field(StatState) != "S" {
		t.Fatalf("%+v, %v", l, err)
	}
	for field, want := range map[int]int64{StatParent: 17, StatMinorFaults: 120, StatMajorFaults: 7, StatUserTicks: 30,
		StatSystemTicks: 12,
		StatChildUser:   3, StatChildSystem: 4, StatStart: 987, StatResidentPages: 55} {
		if n, err := l.Number(field); err != nil || n != want {
			t.Errorf("field %d is %d (%v), not %d", field, n, err, want)
		}
	}
	if n, err := l.Number(StatState); err == nil {
		t.Errorf("the state is the number %d", n)
	}
	if l.Field(2) != "" || l.Field(25) != "" {
		t.Errorf("fields outside: %q, %q", l.Field(2), l.Field(25))
	}
	for _, bad := range []string{"", "4 (a S 1", "4 a) S 1", ") ("} {
		if l, err := ParseStatLine([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, l)
		}
	}
}

func TestParseBootTime(t *testing.T) {
	if n, err := ParseBootTime([]byte("cpu 1 2 3\nbtime 1700000000\nprocesses 9\n")); err != nil || n != 1_700_000_000 {
		t.Errorf("%d, %v", n, err)
	}
	for _, bad := range []string{"", "cpu 1\n", "btime x\n"} {
		if n, err := ParseBootTime([]byte(bad)); err == nil {
			t.Errorf("%q: %d", bad, n)
		}
	}
}

func TestCountCPUs(t *testing.T) {
	if n := CountCPUs([]byte("cpu  1 2\ncpu0 1 2\ncpu1 1 2\nctxt 5\n")); n != 2 {
		t.Errorf("%d CPUs", n)
	}
}
