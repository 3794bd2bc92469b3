package history_test

import (
	"context"
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/history"
	"github.com/pgfettle/pgfettle/internal/act/history/historytest"
)

// BenchmarkAppend is one sample of a host with two instances, every 360th of
// which packs an hour.
func BenchmarkAppend(b *testing.B) {
	s, err := history.Open(filepath.Join(b.TempDir(), history.File), history.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	series := historytest.Series(2)
	points := make([]history.Point, len(series))
	at := historytest.Begin
	for b.Loop() {
		for i, k := range series {
			points[i] = history.Point{Series: k, Value: historytest.Value(k, at)}
		}
		if err := s.Append(context.Background(), at, points); err != nil {
			b.Fatal(err)
		}
		at = at.Add(10 * time.Second)
	}
	b.ReportMetric(float64(len(series)), "series")
}

// BenchmarkAYearAppended appends a whole year, minute by minute, and says how
// large the file is. It takes minutes, so it runs only where it is named.
func BenchmarkAYearAppended(b *testing.B) {
	if f := flag.Lookup("test.bench"); f == nil || f.Value.String() != "AYearAppended" {
		b.Skip("name it alone: -bench AYearAppended")
	}
	path := filepath.Join(b.TempDir(), history.File)
	s, err := history.Open(path, history.Options{Interval: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	series := historytest.Series(2)
	points := make([]history.Point, len(series))
	n := 0
	for at := historytest.Begin; at.Before(historytest.End); at = at.Add(time.Minute) {
		if at.After(historytest.End.AddDate(0, 0, -3)) {
			at = at.Add(-50 * time.Second)
		}
		for i, k := range series {
			points[i] = history.Point{Series: k, Value: historytest.Value(k, at)}
		}
		if err := s.Append(context.Background(), at, points); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(len(series)), "series")
	b.ReportMetric(float64(n), "samples")
	b.ReportMetric(float64(sizeOf(b, path))/1e6, "MB")
}
