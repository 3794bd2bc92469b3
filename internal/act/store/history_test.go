package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

var noon = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func openNew(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "sub", File), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func pt(name string, v float64) history.Point {
	return history.Point{Series: history.Series{Name: name}, Value: v}
}

func appendAt(t *testing.T, s *Store, at time.Time, points ...history.Point) {
	t.Helper()
	if err := s.Append(context.Background(), at, points); err != nil {
		t.Fatalf("append at %s: %v", at, err)
	}
}

func ranged(t *testing.T, s *Store, name string, from, to time.Time, most int) []history.Bucket {
	t.Helper()
	list, err := s.Range(context.Background(), history.Series{Name: name}, from, to, most)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func eventsOf(t *testing.T, s *Store, kinds ...history.EventKind) []history.Event {
	t.Helper()
	list, err := s.EventsBetween(context.Background(), history.EventFilter{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What was appended is read back, from the hour under way and after it was packed.
func TestASampleIsReadBack(t *testing.T) {
	s := openNew(t, Options{})
	for i := range 720 {
		at := noon.Add(time.Duration(i) * 10 * time.Second)
		appendAt(t, s, at, pt("memory_available_bytes", float64(i)*4096), pt("cpu_busy_ratio", 0.25))
	}
	list := ranged(t, s, "memory_available_bytes", noon, noon.Add(2*time.Hour), 1000)
	if len(list) != 720 {
		t.Fatalf("%d points of 720", len(list))
	}
	for i, b := range list {
		v := float64(i) * 4096
		want := history.Bucket{At: noon.Add(time.Duration(i) * 10 * time.Second), Min: v, Max: v, Mean: v,
			Last: v, N: 1}
		if diff := cmp.Diff(want, b); diff != "" {
			t.Fatalf("point %d:\n%s", i, diff)
		}
	}
	// Both hours as two buckets each.
	got := ranged(t, s, "memory_available_bytes", noon, noon.Add(2*time.Hour), 4)
	want := []history.Bucket{
		{At: noon, Min: 0, Max: 179 * 4096, Mean: 89.5 * 4096, Last: 179 * 4096, N: 180},
		{At: noon.Add(30 * time.Minute), Min: 180 * 4096, Max: 359 * 4096, Mean: 269.5 * 4096,
			Last: 359 * 4096, N: 180},
		{At: noon.Add(60 * time.Minute), Min: 360 * 4096, Max: 539 * 4096, Mean: 449.5 * 4096,
			Last: 539 * 4096, N: 180},
		{At: noon.Add(90 * time.Minute), Min: 540 * 4096, Max: 719 * 4096, Mean: 629.5 * 4096,
			Last: 719 * 4096, N: 180},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var packed int
	if err := s.db.QueryRow("SELECT count(*) FROM block").Scan(&packed); err != nil || packed != 8 {
		t.Errorf("%d blocks of 8: %v", packed, err)
	}
	if e := eventsOf(t, s); len(e) != 0 {
		t.Errorf("events where nothing happened: %+v", e)
	}
}
