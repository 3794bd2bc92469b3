// Package monitor is what the command watch does while it runs: a cheap sample every few seconds (act/sample reads it),
// the whole evidence every few minutes, both written to the history. What differs from one look to the next becomes an
// event: a setting changed, a finding appeared, a plan depends on facts that have moved, a server was restarted, the
// kernel killed for memory. Of some of them it sends notices.
//
//	monitor.go    the loop: when to sample, when to look at the whole evidence
//	sample.go     what two samples tell at once: OOM kills, restarts, lost servers
//	compare.go    what two looks at the whole evidence tell
//	settings.go   who changed a setting, and where (logtimes.go, applied.go)
//	findings.go   which findings stand; held.go: how long until that is told
//	stale.go      whether a plan still rests on what it rested on
//	state.go      what the next run has to know
//	notice*.go    notices by webhook or program
//	sentence.go   an event in one line
//	manager.go    what systemd wants to hear
//
// It changes nothing, and costs little: a sample reads six files of the kernel,
// which stay open, and asks each server one question over one connection.
package monitor

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Store is what the watcher needs of the history; *history.Store is one.
type Store interface {
	Append(ctx context.Context, at time.Time, points []history.Point) error
	AppendEvent(ctx context.Context, e history.Event) (history.Event, error)
	AppendSettings(ctx context.Context, at time.Time, instance string, now map[string]history.Setting) ([]history.Event,
		error)
	AppendFindings(ctx context.Context, at time.Time, now []history.Finding) ([]history.Event, error)
	SettingsAt(ctx context.Context, instance string, at time.Time) (map[string]string, error)
	Findings(ctx context.Context) ([]history.Finding, error)
	Remember(ctx context.Context, key string, value []byte) error
	Recall(ctx context.Context, key string) ([]byte, error)
}

// Options say what is watched, and with what.
type Options struct {
	Target   target.Target
	Interval time.Duration // between samples
	Look     time.Duration // between looks at the whole evidence, give or take a tenth
	Once     bool          // one look and one sample

	Collect func(ctx context.Context) (*snapshot.Snapshot, error)                  // the whole evidence
	Dial    func(ctx context.Context, in *snapshot.Instance) (sample.Asker, error) // a connection for samples
	Checks  func() check.Options                                                   // of the policy as it is now
	Rules   func(s *snapshot.Snapshot) rule.Options                                // of the policy as it is now
	// the last apply that was not undone; nil: none
	Applied func() *journal.Journal
	// reread the policy and look again; may be nil
	Reload  <-chan struct{}
	Reread  func() error                        // rereads the policy
	Store   Store                               //
	Notices *Notifier                           // nil: none are sent
	Tell    func(level Level, text say.Message) // one line of talk
	// what started the process; nil if it does not listen
	Manager *Manager
	// when the server's log says that it read them
	logs func(t target.Target, in *snapshot.Instance, names []string) map[string]string
}

// Level is how much a line of talk weighs, as syslog numbers it.
type Level int

// The levels that are used.
const (
	Err     Level = 3
	Warning Level = 4
	Notable Level = 5
	Plain   Level = 6
)

// Default intervals, and their bounds: a sample every second is what a person looks at in top, and an hour between two
// hides a day's peak. Whole looks run some programs, so that one a minute is the most.
const (
	DefaultInterval = 10 * time.Second
	LeastInterval   = time.Second
	MostInterval    = time.Hour
	DefaultLook     = 10 * time.Minute
	LeastLook       = time.Minute
	MostLook        = 24 * time.Hour
)

// rateMost is how many intervals may lie between two readings for their rate to
// speak of the present: beyond is a gap.
const rateMost = 3

// tenth is the part of the interval by which looks are moved at random, so that a
// hundred hosts that were started together do not look together.
const tenth = 10

// Watcher is one run. All of it is of the goroutine that runs it, but what look
// does.
type Watcher struct {
	o       Options
	files   *sample.Files
	host    sample.HostReading
	last    sample.HostReading
	boot    string
	groups  map[string]string // folder of the cgroup by label
	servers []*sample.Server  // in the order of the snapshot
	points  sample.Points
	dear    []history.Point // of the last look, for the next sample

	before   map[string]map[string]string // settings by label
	written  map[string]map[string]string // what the files say, by label
	started  map[string]float64           // of the postmasters, by label
	findings []history.Finding            // the reported ones
	standing []history.Finding            // those of the last look, reported or not; nil if there was none
	pending  []pending                    // what has not held long enough
	baseline bool                         // findings are those of an earlier look
	bases    bases
	looked   time.Time

	broken  string          // why nothing is written; "": it is
	backlog []history.Event // that could not be
	missed  map[string]bool // what was reported missing
}

func newWatcher(o Options) *Watcher {
	if o.logs == nil {
		o.logs = loadedAt
	}
	return &Watcher{o: o, files: sample.NewFiles(o.Target), groups: map[string]string{},
		before: map[string]map[string]string{}, written: map[string]map[string]string{},
		started: map[string]float64{}, bases: bases{}, missed: map[string]bool{}}
}

// Run watches until ctx ends, or once. The error is that of the first look; later errors are reported, and retried.
func Run(ctx context.Context, o Options) error {
	w := newWatcher(o)
	defer w.close()
	w.recallHost(ctx)
	first := w.look(ctx)
	if first.err != nil {
		return first.err
	}
	w.take(ctx, first)
	w.sample(ctx)
	if o.Once {
		w.remember(context.WithoutCancel(ctx))
		return ctx.Err()
	}
	o.Manager.Ready()
	w.loop(ctx)
	w.remember(context.WithoutCancel(ctx))
	o.Manager.Stopping()
	return ctx.Err()
}

func (w *Watcher) loop(ctx context.Context) {
	samples := time.NewTicker(w.o.Interval)
	defer samples.Stop()
	alive := w.o.Manager.Watchdog()
	defer alive.Stop()
	next := time.NewTimer(jittered(w.o.Look))
	defer next.Stop()
	looks := make(chan looked, 1)
	looking := false
	begin := func() {
		if !looking {
			looking = true
			go func() { looks <- w.look(ctx) }()
		}
	}
	for {
		select {
		case <-ctx.Done():
			if looking {
				<-looks // it ends with ctx
			}
			return
		case <-samples.C:
			w.sample(ctx)
		case <-next.C:
			begin()
		case l := <-looks:
			looking = false
			w.take(ctx, l)
			next.Reset(jittered(w.o.Look))
		case <-w.o.Reload:
			w.o.Manager.Reloading()
			if err := w.o.Reread(); err != nil {
				w.o.Tell(Err, say.M("policy not reloaded: {reason}", "reason", gapwords.OfError(err)))
			} else {
				w.o.Tell(Plain, say.M("policy reloaded"))
			}
			w.o.Manager.Ready()
			begin()
		case <-alive.C:
			w.o.Manager.Alive()
		}
	}
}

// jittered is a time that is up to a tenth less or more.
func jittered(d time.Duration) time.Duration {
	part := d / tenth
	return d - part + rand.N(2*part+1)
}

func (w *Watcher) close() {
	w.files.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // a goodbye is not worth more
	defer cancel()
	for _, s := range w.servers {
		s.Close(ctx)
	}
}

// looked is what one look at the whole evidence gave.
type looked struct {
	at       time.Time
	snapshot *snapshot.Snapshot
	sizes    map[string]float64 // of the databases, by label
	err      error
}

// look collects the whole evidence. It runs beside the samples, and touches
// nothing of theirs.
func (w *Watcher) look(ctx context.Context) looked {
	l := looked{at: w.o.Target.Now(), sizes: map[string]float64{}}
	if l.snapshot, l.err = w.o.Collect(ctx); l.err != nil {
		return l
	}
	for i := range l.snapshot.Instances {
		in := &l.snapshot.Instances[i]
		if !in.Server.Settings.Known() {
			continue
		}
		if n, err := w.size(ctx, in); err == nil {
			l.sizes[in.Label()] = n
		}
	}
	return l
}

// size asks for the size of the databases over a separate connection: those of the samples are in use.
func (w *Watcher) size(ctx context.Context, in *snapshot.Instance) (float64, error) {
	conn, err := w.o.Dial(ctx, in)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return sample.DatabaseSize(ctx, conn)
}

// free gives back what a look took: a sample needs a hundredth of it.
func free() { debug.FreeOSMemory() }
