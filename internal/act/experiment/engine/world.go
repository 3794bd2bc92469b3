package engine

import (
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// world is what an experiment touches. Names are of the scratch folder: "master",
// "master.json". Whoever dies leaves files and values of the kernel as they are,
// and no server that runs.
type world interface {
	// claim makes the scratch folder where it is not there, holds that it is one,
	// and takes it for us alone. release gives it back, and removes it.
	claim() error
	release() error

	read(name string) ([]byte, error) // fs.ErrNotExist where there is none
	put(name string, b []byte) error  // whole and on disk, or as it was
	list() ([]string, error)          // files and folders, without what claim made
	remove(name string) error         // with all that is in it; none is no error
	drop(folder string) error         // one of a load, elsewhere; none is no error

	initdb(ctx context.Context, name string) error
	// clone copies a cluster that does not run, cheaply where the filesystem can.
	clone(ctx context.Context, from, to string, told func(done, all int64)) error
	system(name string) (uint64, error) // identifier of a cluster
	// rest stops a server that still runs in a cluster, and says whether its files
	// are those of one that was stopped in peace: where they are not, after a kill,
	// the server is started for its recovery.
	rest(ctx context.Context, name string) (bool, error)
	size(name string) (unit.Bytes, error) // of the files of a cluster
	// try asks the binary whether it would start with these settings on a cluster,
	// and for how much shared memory. It starts nothing.
	try(ctx context.Context, name string, settings map[string]string) (complaints []string, shared unit.Bytes, err error)
	start(ctx context.Context, name string, settings map[string]string) (node, error)

	kernel(name string) (string, error)
	setKernel(name, value string) error
	dropCaches() error
	// compact moves pages of memory together, so that there is room for huge ones;
	// empty drops the page cache before.
	compact(empty bool) error

	memory() (host.Memory, error)
	space() (free, total unit.Bytes, err error) // of the filesystem of the scratch folder
	calibrate(ctx context.Context) (cpu, sync time.Duration, err error)
	pause(ctx context.Context, d time.Duration) error
	// watch samples the host, and the page tables of one server, until the returned function is called, which tells what
	// was seen. Where fault is told something, the run cannot go on.
	watch(n node, fault func(error)) (end func() seen)
	now() time.Time
}

// node is a scratch server that runs.
type node interface {
	conn() loadgen.Conn
	prepare(ctx context.Context) error // once, after the load was filled in
	settings(ctx context.Context) ([]setting, error)
	prewarm(ctx context.Context) (how string, err error)
	counters(ctx context.Context) (counters, error)
	checkpoint(ctx context.Context) (time.Duration, error)
	checkpointed() (uint64, error) // where the last checkpoint lies that came to its end: another place after each
	databaseSize(ctx context.Context) (int64, error)
	cpu() (time.Duration, error) // of all its processes, those that have ended too
	alive() error                // the last words of a server that is gone
	pid() int
	close() error // stops it
}

// counters are what a server has counted since its start, by the names of
// result; one that this version does not have is not there.
type counters struct {
	values      map[string]float64
	checkpoints int
	wraparound  bool // a vacuum against wraparound is at work
}

// since is what was counted between two looks.
func (c counters) since(before counters) map[string]float64 {
	out := map[string]float64{}
	for name, v := range c.values {
		if b, ok := before.values[name]; ok && v >= b {
			out[name] = v - b
		}
	}
	return out
}

// seen is what else went on during a run.
type seen struct {
	wall       time.Duration
	all        float64 // seconds of CPU time, of all processors, that passed
	busy       float64 // of them not idle
	steal      float64
	own        float64 // taken by us and by clients of ours that have ended
	known      bool    // the four above could be read
	pressure   map[string]time.Duration
	clock      time.Duration // farthest that the wall clock went from the monotonic one between two looks, with its sign
	pageTables int64         // of all processes of the server together, the most seen; 0: not seen
}

// add joins what was seen in two parts of a run.
func (s seen) add(t seen) seen {
	if s.wall == 0 {
		return t
	}
	s.wall += t.wall
	s.all, s.busy, s.steal, s.own = s.all+t.all, s.busy+t.busy, s.steal+t.steal, s.own+t.own
	s.known = s.known && t.known
	sum := map[string]time.Duration{}
	for name, d := range s.pressure {
		if more, ok := t.pressure[name]; ok {
			sum[name] = d + more
		}
	}
	s.pressure = sum
	if t.clock.Abs() > s.clock.Abs() {
		s.clock = t.clock
	}
	s.pageTables = max(s.pageTables, t.pageTables)
	return s
}
