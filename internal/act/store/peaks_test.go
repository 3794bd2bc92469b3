package store

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// The peaks that plans depend on, from packed hours and the one under way.
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
		appendAt(t, s, at(n), pt("memory_used_bytes", used),
			history.Point{Series: history.Series{Instance: "/data", Name: "connections", Label: "active"},
				Value: sessions}, history.Point{Series: history.Series{Instance: "/data", Name: "connections",
				Label: "idle"}, Value: 90}, history.Point{Series: history.Series{Instance: "/data",
				Name: "connections_total", Label: ""}, Value: sessions + 90},
			history.Point{Series: history.Series{Instance: "/data", Name: "wal_bytes_per_second", Label: ""},
				Value: wal})
	}
	appendAt(t, s, at(5*60+10), history.Point{Series: history.Series{Instance: "/other", Name: "connections_total",
		Label: ""}, Value: 500})
	got, err := s.Peaks(context.Background(), at(5*60+11))
	if err != nil {
		t.Fatal(err)
	}
	span := history.Span{From: noon.Unix(), To: noon.Unix() + 6*3600, Days: 0.25}
	want := &history.Peaks{Schema: history.Schema, Span: span, Memory: &history.Peak{Value: 9e9, At: at(5 * 60).Unix()},
		Instances: []history.Instance{
			{Instance: "/data", Span: span, Active: &history.Peak{Value: 34, At: at(60).Unix()},
				Open: &history.Peak{Value: 124, At: at(60).Unix()}, WAL: &history.Peak{Value: 5e6, At: at(120).Unix()}},
			{Instance: "/other", Span: history.Span{From: noon.Add(5 * time.Hour).Unix(),
				To: noon.Add(6 * time.Hour).Unix(), Days: 1. / 24},
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
	if late, err := s.Peaks(context.Background(), noon.AddDate(2, 0, 0)); err != nil || late.Memory != nil ||
		len(late.Instances) != 0 || late.Days != 0 {
		t.Errorf("two years later: %+v, %v", late, err)
	}
}

// TestDisksOfPeaks: the trend is that of the last two weeks, and of the series of each directory.
func TestDisksOfPeaks(t *testing.T) {
	s := openNew(t, Options{Interval: time.Hour})
	if _, err := s.db.Exec("PRAGMA synchronous = OFF"); err != nil {
		t.Fatal(err)
	}
	at := func(h int) time.Time { return noon.Add(time.Duration(h) * time.Hour) }
	const days = 20
	for h := range days * 24 {
		free := 2000.0 - 10*float64(h)/24 // 10 GB a day
		appendAt(t, s, at(h), history.Point{Series: history.Series{Instance: "/data", Name: "disk_free_bytes",
			Label: "data"}, Value: free * (1 << 30)},
			history.Point{Series: history.Series{Instance: "/data", Name: "disk_free_bytes", Label: "wal"},
				Value: 5 << 30})
	}
	p, err := s.Peaks(context.Background(), at(days*24))
	if err != nil || len(p.Instances) != 1 || len(p.Instances[0].Disks) != 2 {
		t.Fatalf("%+v, %v", p, err)
	}
	for _, d := range p.Instances[0].Disks {
		want := map[string]history.Disk{"data": {PerDay: 10 << 30, Least: 10 << 30}, "wal": {}}[d.Place]
		if math.Abs(d.PerDay-want.PerDay) > 1e6 || math.Abs(d.Least-want.Least) > 1e6 ||
			math.Abs(d.Days-history.TrendDays) > 0.1 {
			t.Errorf("%+v, not %+v over %d days", d, want, history.TrendDays)
		}
	}
}
