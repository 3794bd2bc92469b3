package metrics

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// Every is the least time between the end of one collection and the begin of the next: a minute is soon enough for
	// page tables that grow and for settings that drift, and keeps the collection below 1 % of a CPU.
	Every = time.Minute
	// Limit is how long a collection may take. A healthy one takes less than a
	// second; a server that answers within half a minute is in trouble, but lives.
	Limit = 30 * time.Second
	// Wait is how long a scrape waits for a collection: Prometheus gives up after 10 s by default, and then has nothing
	// at all.
	Wait = 8 * time.Second
	// Keep is how old values may become when no collection succeeds any more.
	// Prometheus itself takes a series for gone after five minutes.
	Keep = 5 * time.Minute
)

// Source is where the values come from. It collects at most once at a time, and not again before Every has passed,
// however often it is asked. The zero durations mean the constants of the same name. It must not be copied.
type Source struct {
	Collect func(context.Context) (*Reading, error)
	Now     func() time.Time
	Version string          // of pgfettle
	Context context.Context // ends collections with the program; nil: nothing does

	Every, Limit, Wait, Keep time.Duration

	mu      sync.Mutex
	running chan struct{} // closed when the collection that runs ends; nil: none runs
	began   time.Time     // the last collection
	ended   time.Time     // zero: none has ended yet
	took    time.Duration
	failed  error
	last    *Reading // of the last collection that succeeded
	at      time.Time
	results map[string]int
}

// The results of a collection.
const (
	success  = "success"
	timedOut = "timeout"
	noAccess = "no_access"
	other    = "error"
)

func or(d, usual time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return usual
}

// fresh returns once the values are as new as they may be: at once where they are,
// else when the collection ends that runs or is started now, but not later than
// Wait or the end of the context allow.
func (s *Source) fresh(ctx context.Context) {
	s.mu.Lock()
	if s.running == nil && (s.ended.IsZero() || s.Now().Sub(s.ended) >= or(s.Every, Every)) {
		s.running, s.began = make(chan struct{}), s.Now()
		go s.collect(s.running)
	}
	running := s.running
	s.mu.Unlock()
	if running == nil {
		return
	}
	patience := time.NewTimer(or(s.Wait, Wait))
	defer patience.Stop()
	select {
	case <-running:
	case <-patience.C:
	case <-ctx.Done():
	}
}

// collect is one collection.
func (s *Source) collect(done chan struct{}) {
	parent := s.Context
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithTimeout(parent, or(s.Limit, Limit))
	defer cancel()
	r, err := s.guarded(ctx)
	if err == nil && r == nil {
		err = say.Err("nothing was collected")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.failed, s.running = s.Now(), err, nil
	s.took = s.ended.Sub(s.began)
	if err == nil {
		s.last, s.at = r, s.began
	}
	if s.results == nil {
		s.results = map[string]int{}
	}
	s.results[resultOf(ctx, err)]++
	close(done)
}

// fault is a panic of the collection.
type fault struct{ of any }

func (f *fault) Error() string { return fmt.Sprintf("the collection stopped: %v", f.of) }

// guarded keeps a fault of the collection from ending the program that serves it.
func (s *Source) guarded(ctx context.Context) (r *Reading, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, &fault{p}
		}
	}()
	return s.Collect(ctx)
}

func resultOf(ctx context.Context, err error) string {
	problem, told := errors.AsType[*say.Problem](err)
	_, broke := errors.AsType[*fault](err)
	switch {
	case err == nil:
		return success
	case broke:
		return other // however late it was: it is no slow server that has to be looked for
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return timedOut
	case told && problem.Code == say.CodeNoAccess:
		return noAccess
	}
	return other
}

// Once collects now, whatever the last time was, and returns its error. It is for callers that write the values
// themselves, one collection after the other.
func (s *Source) Once(ctx context.Context) error {
	s.mu.Lock()
	if s.running == nil {
		s.running, s.began = make(chan struct{}), s.Now()
		go s.collect(s.running)
	}
	running := s.running
	s.mu.Unlock()
	select {
	case <-running:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// collector shows a source as client_golang wants it. lasting says that the process goes on: counters that restart with
// every run count nothing.
type collector struct {
	source  *Source
	lasting bool
	fresh   bool // ask for values that are as new as they may be
}

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, f := range Families() {
		ch <- descs[f]
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	if c.fresh {
		c.source.fresh(context.Background())
	}
	for _, m := range c.source.series(c.lasting) {
		ch <- m
	}
}

// series returns what is known now.
func (s *Source) series(lasting bool) []prometheus.Metric {
	s.mu.Lock()
	now := s.Now()
	r, at := s.last, s.at
	stuck := s.running != nil && now.Sub(s.began) > or(s.Limit, Limit)
	ended, good, took := !s.ended.IsZero(), s.failed == nil && !stuck, s.took
	counts := map[string]int{success: 0, timedOut: 0, noAccess: 0, other: 0}
	for result, n := range s.results {
		counts[result] = n
	}
	s.mu.Unlock()

	k := newSink()
	k.put(&buildInfo, 1, s.Version, runtime.Version())
	if ended || stuck {
		k.put(&collectionSuccess, truth(ended && good))
	}
	if ended {
		k.put(&collectionDuration, took.Seconds())
	}
	if lasting {
		for result, n := range counts {
			k.put(&collections, float64(n), result)
		}
	}
	if r != nil && now.Sub(at) <= or(s.Keep, Keep)+or(s.Every, Every) {
		taken := float64(at.UnixMilli()) / 1000
		if t := r.Snapshot.TakenAt; t > 0 { // of an evidence file: when it was written, and not read
			taken = float64(t)
		}
		k.put(&collectionTime, taken)
		r.fill(k)
	}
	dropped := k.dropped
	k.put(&seriesDropped, float64(dropped))
	return k.out
}
