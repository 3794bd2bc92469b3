package host

import (
	"testing"
)

func TestParseProcessStat(t *testing.T) {
	got, err := ParseProcessStat([]byte("4242 (a) b (c) S 17 1 1 0 -1 4194560 120 0 7 0 30 12 0 0 20 0 1 0 5 6\n"))
	want := ProcessStat{PID: 4242, Parent: 17, Name: "a) b (c", Minor: 120, Major: 7, Ticks: 42}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "4 (a S 1", "x (a) S 1 1 1 0 -1 4 120 0 7 0 30 12", "4 (a) S 1 1",
		"4 (a) S y 1 1 0 -1 4 120 0 7 0 30 12 0"} {
		if p, err := ParseProcessStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, p)
		}
	}
}
