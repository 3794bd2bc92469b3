// Package machine is this machine as an experiment uses it: a scratch directory with clusters that are made, copied,
// and removed, the servers that run in them, values of the kernel, and what else went on during a run. It decides
// nothing; the order of things is act/experiment/engine.
package machine

import (
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
)

// Guard is what is known of servers that are not ours, for nothing of theirs to
// be taken for scratch.
type Guard struct {
	DataDirs []string // data directories, absolute
	Systems  []uint64 // system identifiers
}

// Setting is a line of pg_settings.
type Setting struct {
	Name, Value, Unit, Kind, Source string
	Pending                         bool // pending_restart
}

// Node is a scratch server that runs.
type Node interface {
	Conn() loadgen.Conn
	Prepare(ctx context.Context) error // once, after the load was filled in
	Settings(ctx context.Context) ([]Setting, error)
	Prewarm(ctx context.Context) (how say.Message, err error)
	Counters(ctx context.Context) (Counters, error)
	Checkpoint(ctx context.Context) (time.Duration, error)
	Checkpointed() (uint64, error) // where the last checkpoint lies that came to its end: another place after each
	DatabaseSize(ctx context.Context) (int64, error)
	CPU() (time.Duration, error) // of all its processes, those that have ended too
	Alive() error                // the last words of a server that is gone
	PID() int
	Close() error // stops it
}

// Counters are what a server has counted since its start, by the names of result; one that this version does not have
// does not exist.
type Counters struct {
	Values      map[string]float64
	Checkpoints int
	Wraparound  bool // a vacuum against wraparound is at work
}

// Since is what was counted between two looks.
func (c Counters) Since(before Counters) map[string]float64 {
	out := map[string]float64{}
	for name, v := range c.Values {
		if b, ok := before.Values[name]; ok && v >= b {
			out[name] = v - b
		}
	}
	return out
}

// Seen is what else went on during a run.
type Seen struct {
	Wall     time.Duration
	All      float64 // seconds of CPU time, of all CPUs, that passed
	Busy     float64 // of them not idle
	Steal    float64
	Own      float64 // taken by us and by clients of ours that have ended
	Known    bool    // the four above could be read
	Pressure map[string]time.Duration
	// farthest that the wall clock went from the monotonic one between two looks, with its sign
	Clock      time.Duration
	PageTables int64 // of all processes of the server together, the most seen; 0: not seen
}

// Add joins what was seen in two parts of a run.
func (s Seen) Add(t Seen) Seen {
	if s.Wall == 0 {
		return t
	}
	s.Wall += t.Wall
	s.All, s.Busy, s.Steal, s.Own = s.All+t.All, s.Busy+t.Busy, s.Steal+t.Steal, s.Own+t.Own
	s.Known = s.Known && t.Known
	sum := map[string]time.Duration{}
	for name, d := range s.Pressure {
		if more, ok := t.Pressure[name]; ok {
			sum[name] = d + more
		}
	}
	s.Pressure = sum
	if t.Clock.Abs() > s.Clock.Abs() {
		s.Clock = t.Clock
	}
	s.PageTables = max(s.PageTables, t.PageTables)
	return s
}

// LeastFree is the part of a filesystem that stays free: near the end many become
// slow, and other programs on it fail.
const LeastFree = 10 // per cent
