package store_test

import (
	"context"
	"math"
	"os"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/act/store/storetest"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// fragments is how much larger a history is that grew hour by hour than one that
// was filled at once: BenchmarkFragments measured 49.0 MB against 36.7 MB.
const fragments = 1.34

// One year of one host with two instances takes less than 200 MB.
func TestAYearFits(t *testing.T) {
	path := storetest.Year(t, 2)
	size := int64(float64(sizeOf(t, path)) * fragments)
	n := len(storetest.Series(2))
	t.Logf("a year of %d series: %.1f MB", n, float64(size)/1e6)
	if size > 200e6 {
		t.Errorf("a year of %d series takes %d bytes", n, size)
	}
	if size < 20e6 {
		t.Errorf("a year of %d series in %d bytes: not all of it was stored", n, size)
	}
}

func sizeOf(tb testing.TB, path string) (size int64) {
	for _, p := range []string{path, path + "-wal"} {
		if st, err := os.Stat(p); err == nil {
			size += st.Size()
		}
	}
	return size
}

// Each level has the same data for the same time as the samples themselves.
func TestEveryLevelTellsTheSameYear(t *testing.T) {
	path := storetest.Year(t, 0)
	s, err := store.OpenRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	k := history.Series{Name: "page_tables_bytes"}
	for _, c := range []struct {
		name     string
		from, to time.Time
		most     int
		step     time.Duration // of the samples
	}{
		{"an hour as sampled", storetest.End.Add(-5 * time.Hour), storetest.End.Add(-4 * time.Hour), 400,
			10 * time.Second},
		{"the hour under way", storetest.End.Add(-20 * time.Minute), storetest.End, 500, 10 * time.Second},
		{"a day by minutes", Day(2026, 11, 18), Day(2026, 11, 19), 1440, 10 * time.Second},
		{"a month by ten minutes", Day(2026, 10, 1), Day(2026, 10, 31), 4320, time.Minute},
		{"a quarter by hours", Day(2026, 1, 1), Day(2026, 3, 14), 72 * 24, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Range(context.Background(), k, c.from, c.to, c.most)
			if err != nil {
				t.Fatal(err)
			}
			width := c.to.Sub(c.from) / time.Duration(c.most)
			width = max(width, c.step)
			var i int
			for at := c.from; at.Before(c.to); at = at.Add(width) {
				if i >= len(got) {
					t.Fatalf("%d buckets end before %s", len(got), at)
				}
				lo, hi, sum, n, last := math.Inf(1), math.Inf(-1), 0.0, 0, 0.0
				for x := at; x.Before(at.Add(width)); x = x.Add(c.step) {
					last = storetest.Value(k, x)
					lo, hi, sum, n = min(lo, last), max(hi, last), sum+last, n+1
				}
				b := got[i]
				// The mean is kept to seven digits.
				if !b.At.Equal(at) || b.Min != lo || b.Max != hi || b.N != n || b.Last != last ||
					math.Abs(b.Mean-sum/float64(n)) > 2e-7*b.Mean {
					t.Fatalf(
						"bucket %d: %+v, and the samples are from %g to %g, mean %g, last %g, %d of them from %s on",
						i, b, lo, hi, sum/float64(n), last, n, at)
				}
				i++
			}
			if i != len(got) {
				t.Errorf("%d buckets of %d", len(got), i)
			}
		})
	}
	t.Run("a gap has no buckets", func(t *testing.T) {
		got, err := s.Range(context.Background(), k, storetest.GapFrom.Add(-time.Hour),
			storetest.GapTo.Add(time.Hour), 0)
		if err != nil || len(got) != 2 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// Day is midnight, UTC.
func Day(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

func BenchmarkRangeOfAYear(b *testing.B) {
	path := storetest.Year(b, 1)
	s, err := store.OpenRead(path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	all := storetest.Series(1)
	b.Run("one series", func(b *testing.B) {
		for i := range b.N {
			list, err := s.Range(context.Background(), all[i%len(all)], storetest.Begin, storetest.End, 0)
			if err != nil || len(list) < 400 {
				b.Fatal(len(list), err)
			}
		}
	})
	b.Run("thirty series", func(b *testing.B) {
		for range b.N {
			if _, err := s.Ranges(context.Background(), all[:30], storetest.Begin, storetest.End, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
