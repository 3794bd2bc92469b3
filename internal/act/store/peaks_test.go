package store

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// The peaks that plans rest on, from packed hours and the one under way.
func TestPeaks(t *testing.T) {
	s := openNew(t, Options{Interval: time.Minute})
	if _, err := s.db.Exec("PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	at := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	for n := range 5*60 + 10 {
		sessions, wal, used := 3.0, 1e6, 8e9
		switch {
		case n == 75:
			sessions = 34 // for one minute
		case n/60 == 2:
			wal = 5e6 // for an hour
		case n >= 5*60:
			wal, used = 9e6, 9e9 // of an hour of which ten minutes are known
		}
		appendAt(t, s, at(n), pt("memory_used_bytes", used), Point{Series{"/data", "connections", "active"}, sessions}, Point{Series{"/data", "connections", "idle"}, 90}, Point{Series{"/data", "connections_total", ""}, sessions + 90}, Point{Series{"/data", "wal_bytes_per_second", ""}, wal})
	}
	appendAt(t, s, at(5*60+10), Point{Series{"/other", "connections_total", ""}, 500})
	got, err := s.Peaks(context.Background(), at(5*60+11))
	if err != nil {
		t.Fatal(err)
	}
	span := history.Span{From: noon.Unix(), To: noon.Unix() + 6*3600, Days: 0.25}
	want := &history.Peaks{Schema: history.Schema, Span: span, Memory: &history.Peak{Value: 9e9, At: at(5 * 60).Unix()}, Instances: []history.Instance{
		{Instance: "/data", Span: span, Active: &history.Peak{Value: 34, At: at(60).Unix()},
			Open: &history.Peak{Value: 124, At: at(60).Unix()}, WAL: &history.Peak{Value: 5e6, At: at(120).Unix()}},
		{Instance: "/other", Span: history.Span{From: noon.Add(5 * time.Hour).Unix(), To: noon.Add(6 * time.Hour).Unix(), Days: 1. / 24},
			Open: &history.Peak{Value: 500, At: at(5 * 60).Unix()}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := history.Parse(b); err != nil || !cmp.Equal(again, *got) {
		t.Errorf("%s is read as %+v, %v", b, again, err)
	}
	// Two years later nothing of it counts.
	if late, err := s.Peaks(context.Background(), noon.AddDate(2, 0, 0)); err != nil || late.Memory != nil || len(late.Instances) != 0 || late.Days != 0 {
		t.Errorf("two years later: %+v, %v", late, err)
	}
}
