package measured

import (
	"math"
	"os"
	"strings"
	"testing"
)

// TestParseSysbench reads three reports of sysbench 1.0.20, as it wrote them.
func TestParseSysbench(t *testing.T) {
	for _, c := range []struct {
		name           string
		transactions   int64
		ignored        int64
		seconds        float64
		mean, max      float64
		percentile, at float64 // as it says itself, ms
	}{
		{"rw", 955, 1, 4.0063, 8.38, 40.75, 0.99, 23.95},
		{"rate", 311, 0, 3.0080, 1.77, 55.42, 0.95, 5.57},
		{"events", 100, 0, 0.0113, 0.21, 2.78, 0, 0},
	} {
		b, err := os.ReadFile("testdata/sysbench/" + c.name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		s, err := ParseSysbench(b)
		if err != nil {
			t.Fatal(err)
		}
		if s.Transactions != c.transactions || s.Ignored != c.ignored || s.Seconds != c.seconds || s.Mean != c.mean ||
			s.Max != c.max || s.Reconnects != 0 {
			t.Errorf("%s: %+v", c.name, s)
		}
		if c.percentile == 0 {
			if s.Latencies != nil || !math.IsNaN(s.SD()) {
				t.Errorf("%s: a histogram where there is none", c.name)
			}
			continue
		}
		// Its buckets are 1.8 % wide, and its rank is rounded to one or the other.
		if got, ok := s.Latencies.Quantile(c.percentile); !ok || math.Abs(float64(got)/1000-c.at) > 0.04*c.at {
			t.Errorf("%s: the %v quantile is %d µs, and sysbench says %v ms", c.name, c.percentile, got, c.at)
		}
		if s.Latencies.Count() != c.transactions {
			t.Errorf("%s: %d values in the histogram", c.name, s.Latencies.Count())
		}
		if mean, _ := s.Latencies.Mean(); math.Abs(mean/1000-c.mean) > 0.02*c.mean {
			t.Errorf("%s: the histogram has a mean of %v µs", c.name, mean)
		}
		// no distribution of values from 0 to max deviates further
		if sd := s.SD(); !(sd > 0) || sd > c.max/2 {
			t.Errorf("%s: standard deviation %v ms", c.name, sd)
		}
		seconds := 0
		for line := range strings.Lines(string(b)) {
			if tps, ok := SysbenchProgress(line); ok {
				seconds++
				if tps < 90 || tps > 300 {
					t.Errorf("%s: %v a second in %q", c.name, tps, line)
				}
			}
		}
		if seconds != int(c.seconds) {
			t.Errorf("%s: %d lines of progress", c.name, seconds)
		}
	}
	for _, bad := range []string{"", "transactions: x",
		"    transactions:                        955    (238.35 per sec.)",
		"    transactions: 5 (1 per sec.)\n    total time: -1s",
		"    transactions: 5 (1 per sec.)\n    total time: 1e99s"} {
		if _, err := ParseSysbench([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// FuzzSysbench holds that no report makes figures that are none.
func FuzzSysbench(f *testing.F) {
	for _, name := range []string{"rw", "rate", "events"} {
		b, err := os.ReadFile("testdata/sysbench/" + name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		// Of the histogram some lines are enough: what is long is changed in vain.
		lines := strings.SplitAfter(string(b), "\n")
		f.Add(strings.Join(append(lines[:min(len(lines), 30):30], lines[max(0, len(lines)-28):]...), ""))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for line := range strings.Lines(text) {
			if tps, ok := SysbenchProgress(line); ok && (tps < 0 || math.IsNaN(tps) || math.IsInf(tps, 0)) {
				t.Errorf("%q: %v", line, tps)
			}
		}
		s, err := ParseSysbench([]byte(text))
		if err != nil {
			return
		}
		if s.Transactions < 0 || s.Ignored < 0 || s.Reconnects < 0 || !(s.Seconds > 0) || s.Mean < 0 || s.Max < 0 ||
			s.SD() < 0 {
			t.Errorf("%+v", s)
		}
		if s.Latencies != nil && s.Latencies.Count() <= 0 {
			t.Error("an empty histogram is none")
		}
	})
}
