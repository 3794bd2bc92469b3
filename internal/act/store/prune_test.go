package store

import (
	"context"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// rowsOf counts the points or buckets of a level, and returns where they begin.
func rowsOf(t *testing.T, s *Store, n int) (rows int, first time.Time) {
	t.Helper()
	var start int64
	if err := s.db.QueryRow("SELECT coalesce(sum(n), 0), coalesce(min(start), 0) FROM block WHERE level = ?",
		n).Scan(&rows, &start); err != nil {
		t.Fatal(err)
	}
	return rows, fromMS(start)
}

// What was sampled is thrown away after two days, its minutes after two weeks;
// the hours stay. A clock that is wrong for hours takes nothing with it.
func TestWhatIsOldGoes(t *testing.T) {
	s := openNew(t, Options{Interval: 10 * time.Minute})
	if _, err := s.db.Exec("PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	at := noon
	for range 16 * 24 * 6 {
		appendAt(t, s, at, pt("dirty_bytes", 1))
		at = at.Add(10 * time.Minute)
	}
	for n, days := range []int{2, 14} {
		_, first := rowsOf(t, s, n)
		if keep := at.AddDate(0, 0, -days); first.After(keep) || first.Before(keep.Add(-3*time.Hour)) {
			t.Errorf("level %d begins %s, and should on %s", n, first, keep)
		}
	}
	if rows, _ := rowsOf(t, s, 3); rows != 16*24-1 {
		t.Errorf("%d hours of %d", rows, 16*24-1)
	}
	before, _ := rowsOf(t, s, 0)
	for range 3 * 6 { // three hours five years ahead
		appendAt(t, s, at.AddDate(5, 0, 0), pt("dirty_bytes", 1))
		at = at.Add(10 * time.Minute)
	}
	for range 6 {
		appendAt(t, s, at, pt("dirty_bytes", 1))
		at = at.Add(10 * time.Minute)
	}
	if after, _ := rowsOf(t, s, 0); after < before {
		t.Errorf("%d points were left of %d by a clock that was wrong for three hours", after, before)
	}
	if e := eventsOf(t, s, history.Gap, history.ClockJumped); len(e) != 2 || e[0].Kind != history.ClockJumped ||
		e[1].Kind != history.Gap {
		t.Errorf("told: %+v", e)
	}
}

// A series that is no longer sampled is forgotten with its last block, and may
// come back.
func TestASeriesThatEnds(t *testing.T) {
	s := openNew(t, Options{Interval: time.Hour})
	if _, err := s.db.Exec("PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	gone := history.Point{Series: history.Series{Instance: "/data", Name: "connections", Label: "active"}, Value: 3}
	one := func(history.Series, time.Time) (float64, bool) { return 1, true }
	at := noon.AddDate(0, 0, 745)
	for _, c := range []struct {
		history.Series
		to time.Time
	}{{gone.Series, noon.Add(time.Hour)}, {history.Series{Name: "dirty_bytes"}, at}} {
		if err := s.Fill(context.Background(), []history.Series{c.Series}, noon, c.to, time.Hour, one); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := s.List(context.Background()); err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for range 48 {
		appendAt(t, s, at, pt("dirty_bytes", 1))
		at = at.Add(time.Hour)
	}
	if list, err := s.List(context.Background()); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if rows, first := rowsOf(t, s, 3); rows < 731*24 || rows > 741*24 || first.Before(noon.AddDate(0, 0, 4)) {
		t.Errorf("%d hours are left, from %s on", rows, first)
	}
	appendAt(t, s, at.Add(time.Second), gone)
	if got, err := s.Range(context.Background(), gone.Series, noon, at.Add(time.Hour), 0); err != nil ||
		len(got) != 1 || got[0].Last != 3 {
		t.Errorf("come back: %+v, %v", got, err)
	}
}

// The gap between two runs is reported, a short one is not.
func TestGaps(t *testing.T) {
	s := openNew(t, Options{})
	appendAt(t, s, noon, pt("dirty_bytes", 1))
	appendAt(t, s, noon.Add(25*time.Second), pt("dirty_bytes", 1))
	appendAt(t, s, noon.Add(5*time.Minute), pt("dirty_bytes", 1))
	path := s.path
	s.Close()
	for _, after := range []time.Duration{5*time.Minute + 20*time.Second, 8 * time.Hour} {
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		appendAt(t, s, noon.Add(after), pt("dirty_bytes", 1))
		if after == 8*time.Hour {
			e := eventsOf(t, s)
			if len(e) != 2 || e[0].Kind != history.Gap || !e[0].Since.Equal(noon.Add(25*time.Second)) ||
				!e[0].At.Equal(noon.Add(5*time.Minute)) ||
				e[1].Detail != "pgfettle watch was not running" ||
				!e[1].Since.Equal(noon.Add(5*time.Minute+20*time.Second)) {
				t.Errorf("told: %+v", e)
			}
		}
		s.Close()
	}
}

// The hour under way can be read with sqlite3 itself.
func TestTheViewForPeople(t *testing.T) {
	s := openNew(t, Options{})
	appendAt(t, s, noon, pt("dirty_bytes", 4096),
		history.Point{Series: history.Series{Instance: "/data", Name: "connections", Label: "idle in transaction"},
			Value: 2})
	rows, err := s.db.Query("SELECT datetime(at / 1000, 'unixepoch'), instance, name, label, value FROM recent " +
		"ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var at, instance, name, label, value string
		if err := rows.Scan(&at, &instance, &name, &label, &value); err != nil {
			t.Fatal(err)
		}
		got = append(got, at+"|"+instance+"|"+name+"|"+label+"|"+value)
	}
	if len(got) != 2 || got[0] != "2026-11-03 12:00:00|/data|connections|idle in transaction|2" ||
		got[1] != "2026-11-03 12:00:00||dirty_bytes||4096" {
		t.Errorf("%q", got)
	}
}
