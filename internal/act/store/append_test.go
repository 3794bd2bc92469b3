package store_test

import (
	"context"
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/act/store/storetest"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// BenchmarkAppend is one sample of a host with two instances, every 360th of
// which packs an hour.
func BenchmarkAppend(b *testing.B) {
	s, err := store.Open(filepath.Join(b.TempDir(), store.File), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	series := storetest.Series(2)
	points := make([]history.Point, len(series))
	at := storetest.Begin
	for b.Loop() {
		for i, k := range series {
			points[i] = history.Point{Series: k, Value: storetest.Value(k, at)}
		}
		if err := s.Append(context.Background(), at, points); err != nil {
			b.Fatal(err)
		}
		at = at.Add(10 * time.Second)
	}
	b.ReportMetric(float64(len(series)), "series")
}

// BenchmarkFragments holds the size of a history that was appended hour by hour
// against that of one which was filled at once, as TestAYearFits does: blocks
// that grow leave room in their pages. It takes minutes, so it runs only where it
// is named.
func BenchmarkFragments(b *testing.B) {
	if f := flag.Lookup("test.bench"); f == nil || f.Value.String() != "Fragments" {
		return
	}
	series := storetest.Series(2)
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 0, 40)
	value := func(k history.Series, at time.Time) (float64, bool) { return storetest.Value(k, at), true }
	for _, appended := range []bool{false, true} {
		path := filepath.Join(b.TempDir(), store.File)
		s, err := store.Open(path, store.Options{Interval: time.Minute})
		if err != nil {
			b.Fatal(err)
		}
		if !appended {
			err = s.Fill(context.Background(), series, from, to, time.Minute, value)
		}
		points := make([]history.Point, len(series))
		for at := from; appended && err == nil && !at.After(to); at = at.Add(time.Minute) {
			for i, k := range series {
				points[i] = history.Point{Series: k, Value: storetest.Value(k, at)}
			}
			err = s.Append(context.Background(), at, points)
		}
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			b.Fatal(err)
		}
		name := "filled-MB"
		if appended {
			name = "appended-MB"
		}
		b.ReportMetric(float64(sizeOf(b, path))/1e6, name)
	}
}
