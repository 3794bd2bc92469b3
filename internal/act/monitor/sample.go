package monitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// sample looks at the host's files, asks each server once, and writes both.
func (w *Watcher) sample(ctx context.Context) {
	at := w.o.Target.Now()
	w.last, w.host = w.host, w.last
	w.host.Read(w.files, at, w.groups)
	for i, err := range w.host.Missing {
		w.miss(say.Text(sample.HostFiles[i]), err)
	}
	w.ask(ctx, at)
	if ctx.Err() != nil {
		return
	}
	most := rateMost * w.o.Interval
	if w.o.Once {
		most = MostLook // the rate since the run before
	}
	p := &w.points
	p.List = append(p.List[:0], w.dear...)
	w.dear = nil
	p.AddHost(&w.last, &w.host, sample.PageSize(w.o.Target.PageSize()), most)
	for _, s := range w.servers {
		if s.Seen {
			p.AddServer(s, most)
		}
	}
	w.kept(ctx, w.o.Store.Append(ctx, at, p.List))
	told := w.killed(ctx, at)
	for _, s := range w.servers {
		if s.Seen && w.restarted(ctx, s, at) {
			told = true
		}
	}
	if told { // or the next run, after a kill of this one, reports it again
		w.remember(ctx)
	}
}

// ask asks all servers at once: one that hangs holds up no other.
func (w *Watcher) ask(ctx context.Context, at time.Time) {
	errs := make([]error, len(w.servers))
	var all sync.WaitGroup
	for i, s := range w.servers {
		all.Go(func() { errs[i] = s.Sample(ctx, at) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return
	}
	for i, s := range w.servers {
		switch {
		case errs[i] != nil && s.Down == "":
			reason := reasonOf(errs[i])
			s.Down = reason.English()
			w.o.Tell(Warning, say.M("{server} does not answer: {reason}", "server", s.Label, "reason", reason))
		case s.Seen && s.Down != "":
			s.Down = ""
			w.o.Tell(Plain, say.M("{server} answers again", "server", s.Label))
		}
	}
}

// reasonOf is an error in one line, never with a conninfo.
func reasonOf(err error) say.Message {
	if p, ok := errors.AsType[*say.Problem](err); ok {
		return say.OfError(p)
	}
	return gapwords.OfError(err)
}

// miss reports once what cannot be read.
func (w *Watcher) miss(name say.Message, err error) {
	if err != nil && !w.missed[name.Text] {
		w.missed[name.Text] = true
		w.o.Tell(Plain, say.M("{fact} not collected: {reason}", "fact", name, "reason", reasonOf(err)))
	}
}

// kept reports once that nothing can be written, and once that it can again; then it writes what was pending.
func (w *Watcher) kept(ctx context.Context, err error) bool {
	switch {
	case err == nil || errors.Is(err, store.ErrRefused):
		if err != nil {
			w.miss(say.M("some series"), err)
		}
		if w.broken != "" {
			w.broken = ""
			w.o.Tell(Plain, say.M("writing the history again"))
		}
		w.drain(ctx)
		return true
	case ctx.Err() != nil || errors.Is(err, store.ErrPaused):
		return false
	}
	// The store pauses between two attempts, so that one fault is reported once however it is worded.
	if w.broken == "" {
		w.o.Tell(Err, unwritten(err))
	}
	w.broken = err.Error()
	return false
}

func unwritten(err error) say.Message {
	return say.M("could not write the history, retrying: {reason}", "reason", gapwords.OfError(err))
}

// mostBacklog bounds the events that wait for room on the disk.
const mostBacklog = 1000

// note records an event, reports it, and sends a notice if one is wanted.
func (w *Watcher) note(ctx context.Context, e history.Event) {
	w.announce(e)
	w.store(ctx, e)
}

func (w *Watcher) announce(e history.Event) {
	w.o.Tell(levelOf(e), Sentence(e))
	if w.o.Notices != nil {
		w.o.Notices.Offer(e)
	}
}

func (w *Watcher) store(ctx context.Context, e history.Event) {
	if len(w.backlog) > 0 || !w.keep(ctx, e) {
		if len(w.backlog) < mostBacklog {
			w.backlog = append(w.backlog, e)
		}
	}
}

func (w *Watcher) keep(ctx context.Context, e history.Event) bool {
	_, err := w.o.Store.AppendEvent(ctx, e)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrPaused) && w.broken == "" {
		w.broken = err.Error()
		w.o.Tell(Err, unwritten(err))
	}
	return err == nil
}

func (w *Watcher) drain(ctx context.Context) {
	for len(w.backlog) > 0 && w.keep(ctx, w.backlog[0]) {
		w.backlog = slices.Delete(w.backlog, 0, 1)
	}
}

// killed reports processes that the kernel killed for memory since the reading before: those of an instance's cgroup,
// and the others.
func (w *Watcher) killed(ctx context.Context, at time.Time) (told bool) {
	if w.last.At.IsZero() {
		return false
	}
	n := int64(0)
	if a, b := w.last.VM[sample.OOMKills], w.host.VM[sample.OOMKills]; a != sample.Unseen && b > a {
		n = b - a
	}
	event := func(instance string, n int64) {
		e := history.Event{At: at, Since: w.last.At, Kind: history.OOMKill, Instance: instance,
			Detail: "1 process was killed"}
		if n > 1 {
			e.Detail = fmt.Sprintf("%d processes were killed", n)
		}
		w.note(ctx, e)
		told = true
	}
	for _, s := range w.servers {
		a, okA := w.last.Groups[s.Label]
		b, okB := w.host.Groups[s.Label]
		if okA && okB && b > a {
			event(s.Label, b-a)
			n -= b - a
		}
	}
	if n > 0 {
		event("", n)
	}
	return told
}

// sameStartWithin is how far two reports of one start may differ: it is reported in microseconds, and stored in JSON.
const sameStartWithin = 0.01

// restarted reports a server that was started since the reading before, or since an earlier run, and of one that lost
// all its backends in a crash of one.
func (w *Watcher) restarted(ctx context.Context, s *sample.Server, at time.Time) bool {
	start := s.Now.Values[sample.ColStart]
	before, known := w.started[s.Label]
	if math.IsNaN(start) {
		return false
	}
	w.started[s.Label] = start
	e := history.Event{At: at, Since: s.Last.At, Kind: history.Restarted, Instance: s.Label, After: clock(start)}
	switch crash, now := s.Last.Values[sample.ColCrash], s.Now.Values[sample.ColCrash]; {
	case known && math.Abs(start-before) > sameStartWithin:
		e.Before = clock(before)
	case known && !s.Last.At.IsZero() && now > crash:
		e.After = clock(now)
		e.Detail = "the server restarted after a crash of one of its processes; all sessions were lost"
	default:
		return false
	}
	w.note(ctx, e)
	return true
}

func clock(seconds float64) string {
	return time.UnixMilli(int64(seconds * 1000)).UTC().Format(time.RFC3339)
}
