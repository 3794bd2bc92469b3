package history_test

import (
	"context"
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
