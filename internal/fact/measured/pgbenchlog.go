package measured

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of a log. A line of it has at most 15 numbers; a run of a day has 86,400
// seconds.
const (
	maxLogLine    = 4096
	maxLogSeconds = 1 << 18
	// maxBad is how many lines may be none of a log: the last one of a run that was
	// killed is cut short, and more than that is another file.
	maxBad = 10
)

// LogForm says which columns the lines of a transaction log have: pgbench does not
// write it there, and a seventh column is the lag or the retries.
type LogForm struct {
	Rate  bool // --rate: the lag behind the schedule
	Tries bool // --max-tries other than 1: how often it was retried
	Kinds bool // --failures-detailed: an aggregated log counts failures by their kind
}

// Log is what the transaction logs of a run (-l, one file a thread) add up to.
// With --sampling-rate the counts are of the sample: Scaled tells those of the run.
type Log struct {
	All     Histogram   // latencies, counted from the scheduled start where there is a rate
	Lag     Histogram   // behind the schedule
	Scripts []Histogram // latencies by the number of the script
	Skipped int64       // too late to begin
	Failed  int64       // in a serialization failure, a deadlock, or otherwise
	Retries int64
	Bad     int // lines that are none; the last one of a file may be cut short

	first, last int64           // seconds of the Unix epoch
	seconds     map[int64]int64 // transactions by the second in which they ended
}

// Read takes in the log of one thread. The error names the line where it is not
// one of such a log at all.
func (l *Log) Read(r io.Reader, form LogForm) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, maxLogLine), maxLogLine)
	n := 0
	for sc.Scan() {
		n++
		if err := l.line(sc.Text(), form); err != nil {
			if l.Bad++; l.Bad > maxBad {
				return fmt.Errorf("transaction log of pgbench, line %d: %w", n, err)
			}
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("transaction log of pgbench, line %d: %w", n+1, err)
	}
	return nil
}

// line reads "client transaction time script epoch_seconds microseconds [lag] [retries]".
// The time is a word where the transaction did not succeed.
func (l *Log) line(s string, form LogForm) error {
	f := strings.Fields(s)
	want := 6
	if form.Rate {
		want++
	}
	if form.Tries {
		want++
	}
	if len(f) != want {
		return fmt.Errorf("%d columns where %d were expected", len(f), want)
	}
	script, err1 := count(f[3])
	at, err2 := count(f[4])
	_, err3 := count(f[5])
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if script >= maxScripts {
		return fmt.Errorf("script %d", script)
	}
	var lag, retries, us int64
	var err error
	if form.Rate {
		if lag, err = count(f[6]); err != nil {
			return err
		}
	}
	if form.Tries {
		if retries, err = count(f[want-1]); err != nil {
			return err
		}
	}
	switch f[2] {
	case "skipped":
		l.Skipped++
		return nil
	case "failed", "serialization", "deadlock", "other":
		l.Failed++
		l.Retries += retries
		return nil
	}
	if us, err = count(f[2]); err != nil {
		return err
	}
	for int64(len(l.Scripts)) <= script {
		l.Scripts = append(l.Scripts, Histogram{})
	}
	l.All.Record(us)
	l.Scripts[script].Record(us)
	if form.Rate {
		l.Lag.Record(lag)
	}
	l.Retries += retries
	if l.seconds == nil {
		l.seconds, l.first, l.last = map[int64]int64{}, at, at
	}
	l.first, l.last = min(l.first, at), max(l.last, at)
	if _, ok := l.seconds[at]; ok || len(l.seconds) < maxLogSeconds {
		l.seconds[at]++
	}
	return nil
}

// Scaled is the number of transactions that a count of the sample stands for.
func Scaled(n int64, sampling float64) float64 {
	if sampling <= 0 || sampling > 1 {
		return float64(n)
	}
	return float64(n) / sampling
}

// Windows are the transactions a second in windows of some whole seconds, from
// the first whole one to the last: the second in which it began and the one in
// which it ended are parts, and left out.
func (l *Log) Windows(width int64, sampling float64) []float64 {
	if width <= 0 || l.last-l.first > maxLogSeconds {
		return nil
	}
	var out []float64
	for from := l.first + 1; from+width <= l.last; from += width {
		var n int64
		for s := from; s < from+width; s++ {
			n += l.seconds[s]
		}
		out = append(out, Scaled(n, sampling)/float64(width))
	}
	return out
}

// Interval is one line of a log with --aggregate-interval. What a version or its
// options do not write is nil.
type Interval struct {
	Start         int64    `json:"start"` // seconds of the Unix epoch
	Transactions  int64    `json:"transactions"`
	Latency       Moments  `json:"latency_us"`
	Lag           *Moments `json:"lag_us,omitempty"`
	Skipped       *int64   `json:"skipped,omitempty"`
	Retried       *int64   `json:"retried,omitempty"`
	Retries       *int64   `json:"retries,omitempty"`
	Serialization *int64   `json:"serialization_failures,omitempty"`
	Deadlock      *int64   `json:"deadlock_failures,omitempty"`
}

// Moments are the sums over an interval.
type Moments struct {
	Sum  float64 `json:"sum"`
	Sum2 float64 `json:"sum_of_squares"`
	Min  float64 `json:"min"`
	Max  float64 `json:"max"`
}

// ReadPgbenchAggregate reads a log of --aggregate-interval. Up to 14 a line has 6
// columns, 10 with a rate and 11 with a latency limit too; since 15 always 15, and
// a column that an option would fill is 0: what is not measured cannot be told
// from what did not happen, so form says what was asked for.
func ReadPgbenchAggregate(r io.Reader, form LogForm) ([]Interval, error) {
	var out []Interval
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, maxLogLine), maxLogLine)
	for sc.Scan() {
		in, err := interval(strings.Fields(sc.Text()), form)
		if err != nil {
			return nil, fmt.Errorf("aggregated log of pgbench, line %d: %w", len(out)+1, err)
		}
		if len(out) >= maxLogSeconds {
			return nil, fmt.Errorf("aggregated log of pgbench: more than %d lines", maxLogSeconds)
		}
		out = append(out, in)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("aggregated log of pgbench: %w", err)
	}
	return out, nil
}

func interval(f []string, form LogForm) (Interval, error) {
	var in Interval
	switch len(f) {
	case 6, 10, 11, 15, 16: // 16: of a later version, whose last column counts other failures
	default:
		return in, fmt.Errorf("%d columns", len(f))
	}
	v := make([]float64, len(f))
	for i, s := range f {
		var p *float64
		if err := setFloat(&p, s); err != nil {
			return in, err
		}
		if p == nil {
			return in, fmt.Errorf("%q is not a figure", cut(s))
		}
		v[i] = *p
	}
	whole := func(i int) *int64 {
		if i >= len(v) {
			return nil
		}
		n := int64(min(v[i], 1<<53))
		return &n
	}
	in.Start, in.Transactions = *whole(0), *whole(1)
	in.Latency = Moments{v[2], v[3], v[4], v[5]}
	if form.Rate && len(v) >= 10 {
		in.Lag = &Moments{v[6], v[7], v[8], v[9]}
		in.Skipped = whole(10)
	}
	if form.Tries {
		in.Retried, in.Retries = whole(11), whole(12)
	}
	if form.Kinds {
		in.Serialization, in.Deadlock = whole(13), whole(14)
	}
	return in, nil
}

func count(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a count", cut(s))
	}
	return n, nil
}

// Seconds are from the second of the first transaction to that of the last, both counted.
func (l *Log) Seconds() int64 {
	if l.seconds == nil {
		return 0
	}
	return l.last - l.first + 1
}
