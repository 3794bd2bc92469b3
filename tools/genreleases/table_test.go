package main

import (
	"testing"
	"time"
)

const old = "# known on 2026-11-01\nmajor\tlatest\tlast\n17\t17.11\t2029-11-08\n18\t18.5\t2030-11-14\n" +
	"19\t19rc1\t2031-11-13\n"

// TestNewestWins: the newest of each major version, from whichever registry; none is lost, none goes back.
func TestNewestWins(t *testing.T) {
	got, err := table(old, []string{"17.9.0", "17.12-0+deb13u1", "18.6.0", "18.6.0-1", "19~beta3-1", "20~beta1-1",
		"9.6.24.0", "16.15.0", "1.2.3", "", "x"}, time.Date(2026, time.November, 27, 9, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	want := "# known on 2026-11-27\nmajor\tlatest\tlast\n17\t17.12\t2029-11-08\n18\t18.6\t2030-11-14\n" +
		"19\t19rc1\t2031-11-13\n20\t20beta1\t2032-11-11\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, err := table(got, []string{"19.0-1"}, time.Unix(1800000000, 0)); err != nil ||
		got[len("# known on 2027-01-15\nmajor\tlatest\tlast\n17\t17.12\t2029-11-08\n18\t18.6\t2030-11-14\n"):] !=
			"19\t19.0\t2031-11-13\n20\t20beta1\t2032-11-11\n" {
		t.Errorf("after the release:\n%s\n%v", got, err)
	}
}

// TestLastDays: the policy gives the days that the project has published.
func TestLastDays(t *testing.T) {
	for major, want := range map[int]string{13: "2025-11-13", 14: "2026-11-12", 15: "2027-11-11", 16: "2028-11-09",
		17: "2029-11-08", 18: "2030-11-14"} {
		if got := lastDay(major).Format(time.DateOnly); got != want {
			t.Errorf("%d: %s, want %s", major, got, want)
		}
	}
}
