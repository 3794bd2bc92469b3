package measured

import (
	"fmt"
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Sysbench is the report of a run of sysbench 1.0.
type Sysbench struct {
	Transactions int64
	Ignored      int64 // errors after which a transaction was begun again
	Reconnects   int64
	Seconds      float64    // of the whole run
	Mean, Max    float64    // of the latency, ms
	Latencies    *Histogram // microseconds; nil: the run had no --histogram
}

// SD is the standard deviation of the latencies in ms, as far as the buckets of
// the histogram tell; NaN without one.
func (s *Sysbench) SD() float64 {
	if s.Latencies == nil {
		return math.NaN()
	}
	sd, ok := s.Latencies.SD()
	if !ok {
		return math.NaN()
	}
	return sd / 1000
}

// mostEvents is a bound for what is believed: a day of a million a second.
const mostEvents = 100_000_000_000

// ParseSysbench reads the report, lines of progress before it or not.
func ParseSysbench(b []byte) (*Sysbench, error) {
	s := &Sysbench{Transactions: -1, Seconds: math.NaN(), Mean: math.NaN(), Max: math.NaN()}
	inHistogram, inLatency := false, false
	var fault error
	number := func(text string) float64 {
		x, err := unit.Figure(text)
		if err != nil || math.IsNaN(x) || x < 0 || x > mostEvents {
			fault = fmt.Errorf("report of sysbench: %q is no figure of one", text)
			return 0
		}
		return x
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Latency histogram"):
			inHistogram, s.Latencies = true, &Histogram{}
		case strings.HasPrefix(line, "Latency (ms)"):
			inLatency = true
		case strings.HasPrefix(line, "Threads fairness"), strings.HasPrefix(line, "SQL statistics"):
			inHistogram, inLatency = false, false
		case len(f) == 0:
			inHistogram = inHistogram && s.Latencies.Count() == 0
		case inHistogram && f[0] != "value":
			// «  1.063 |***   1»: the upper end of a bucket and what fell into it
			value, count := number(f[0]), number(f[len(f)-1])
			s.Latencies.RecordMany(int64(math.Round(value*1000)), int64(count))
		case f[0] == "transactions:" && len(f) > 1:
			s.Transactions = int64(number(f[1]))
		case strings.HasPrefix(strings.TrimSpace(line), "ignored errors:") && len(f) > 2:
			s.Ignored = int64(number(f[2]))
		case f[0] == "reconnects:" && len(f) > 1:
			s.Reconnects = int64(number(f[1]))
		case strings.HasPrefix(strings.TrimSpace(line), "total time:") && len(f) > 2:
			s.Seconds = number(strings.TrimSuffix(f[2], "s"))
		case inLatency && f[0] == "avg:" && len(f) > 1:
			s.Mean = number(f[1])
		case inLatency && f[0] == "max:" && len(f) > 1:
			s.Max = number(f[1])
		}
		if fault != nil {
			return nil, fault
		}
	}
	if s.Transactions < 0 || !(s.Seconds > 0) {
		return nil, fmt.Errorf("report of sysbench: it has no number of transactions, or no time")
	}
	if s.Latencies != nil && s.Latencies.Count() == 0 {
		s.Latencies = nil
	}
	return s, nil
}

// SysbenchProgress reads a line of --report-interval: the rate of the seconds that
// have passed since the one before.
func SysbenchProgress(line string) (tps float64, ok bool) {
	if !strings.HasPrefix(line, "[ ") || !strings.Contains(line, " thds: ") {
		return 0, false
	}
	_, rest, found := strings.Cut(line, " tps: ")
	word, _, _ := strings.Cut(rest, " ")
	tps, err := unit.Figure(word)
	if !found || err != nil || math.IsNaN(tps) || tps < 0 || tps > mostEvents {
		return 0, false
	}
	return tps, true
}
