package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"

	"github.com/pgfettle/pgfettle/internal/base/knob"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// errDead is what a process that was killed would never see.
var errDead = errors.New("killed")

// toy is a world in memory. It dies before or after any of its operations: what
// is on its disk and in its kernel stays, its servers end.
type toy struct {
	disk    map[string]string // files and clusters of the scratch directory
	dir     map[string][]byte // documents
	values  map[string]string // of the kernel
	folders map[string]bool   // of loads
	claimed bool

	running      map[string]*toyNode
	dirty        map[string]bool // clusters whose server was not stopped
	idle         bool            // no checkpoint comes by itself
	broken       bool            // such a cluster does not start again
	clock        time.Time
	steps        int
	dies         int  // at this step; 0: never
	existing     bool // servers that are there: nothing of them is on our disk
	truncated    int  // how often a table is cut off while the caches are filled
	after        bool
	dead         bool
	free         unit.Bytes // of 100 GB
	busy         func(block int, label string) float64
	steal        func(drive int) float64
	slow         func(calibrate int) time.Duration // processor time of the calibration
	calibrations int
	fail         func(d loadgen.Drive) error
	refused      int64                                 // transactions that fail in each drive
	rate         func(d loadgen.Drive, b bool) float64 // of transactions; nil: one that is a tenth higher with B
	drives       []loadgen.Drive
	most         int // servers at once
	refuse       string
	log          []string
	scattered    int // times that the kernel gives fewer pages than were asked for
}

func newToy() *toy {
	return &toy{disk: map[string]string{}, dir: map[string][]byte{},
		values: map[string]string{poolName: "3", "thp:enabled": "madvise"}, folders: map[string]bool{},
		running: map[string]*toyNode{}, dirty: map[string]bool{}, clock: time.Unix(1e9, 0), free: 50 * unit.GB}
}

// op is one step of the world: do is what it changes.
func (w *toy) op(what string, do func() error) error {
	if w.dead {
		return errDead
	}
	w.steps++
	w.clock = w.clock.Add(100 * time.Millisecond)
	now := w.steps == w.dies
	if now && !w.after {
		w.die()
		return errDead
	}
	w.log = append(w.log, what)
	err := do()
	if now {
		w.die()
		return errDead
	}
	return err
}

func (w *toy) die() { w.dead, w.running, w.claimed = true, map[string]*toyNode{}, false }

// revive is the next process.
func (w *toy) revive() { w.dead, w.dies = false, 0 }

func (w *toy) Claim() error {
	return w.op("claim", func() error {
		if w.claimed {
			return errors.New("claimed already")
		}
		w.claimed = true
		return nil
	})
}

func (w *toy) Release() error { return w.op("release", func() error { w.claimed = false; return nil }) }

func (w *toy) Read(name string) ([]byte, error) {
	if w.dead {
		return nil, errDead
	}
	if v, ok := w.disk[name]; ok {
		return []byte(v), nil
	}
	return nil, fs.ErrNotExist
}

func (w *toy) Put(name string, b []byte) error {
	return w.op("put "+name, func() error { w.disk[name] = string(b); return nil })
}

func (w *toy) List() ([]string, error) {
	if w.dead {
		return nil, errDead
	}
	return slices.Sorted(maps.Keys(w.disk)), nil
}

func (w *toy) Remove(name string) error {
	return w.op("remove "+name, func() error {
		if w.running[name] != nil {
			return fmt.Errorf("%s: its server runs", name)
		}
		delete(w.disk, name)
		delete(w.dirty, name)
		return nil
	})
}

func (w *toy) Drop(folder string) error {
	return w.op("drop "+folder, func() error { delete(w.folders, folder); return nil })
}

func (w *toy) InitDB(_ context.Context, name string) error {
	return w.op("initdb "+name, func() error {
		if _, ok := w.disk[name]; ok {
			return fmt.Errorf("%s is there", name)
		}
		w.disk[name] = "cluster"
		return nil
	})
}

func (w *toy) Clone(_ context.Context, from, to string, told func(done, all int64)) error {
	// Half of it is there when it dies in the middle.
	if err := w.op("clone "+to, func() error { w.disk[to] = "half"; return nil }); err != nil {
		return err
	}
	told(1, 2)
	return w.op("cloned "+to, func() error {
		if w.disk[from] != "cluster loaded" || w.dirty[from] {
			return fmt.Errorf("copy of %q", w.disk[from])
		}
		w.disk[to] = w.disk[from]
		return nil
	})
}

func (w *toy) System(name string) (uint64, error) {
	if w.disk[name] == "" {
		return 0, fs.ErrNotExist
	}
	return 4711, nil
}

func (w *toy) Rest(_ context.Context, name string) (ok bool, err error) {
	err = w.op("rest "+name, func() error {
		delete(w.running, name)
		if ok = !w.dirty[name] || !w.broken; ok {
			delete(w.dirty, name)
		}
		return nil
	})
	return ok, err
}

func (w *toy) Size(string) (unit.Bytes, error) { return 56 * unit.MB, nil }

func (w *toy) Try(_ context.Context, _ string, settings map[string]string) ([]string, unit.Bytes, error) {
	if w.refuse != "" && settings["work_mem"] == w.refuse {
		return []string{"invalid value for parameter"}, 0, nil
	}
	return nil, 128 * unit.MB, nil
}

func (w *toy) Start(_ context.Context, name string, settings map[string]string) (machine.Node, error) {
	n := &toyNode{w: w, name: name, conf: settings, count: map[string]float64{experiment.WALBytes: 100,
		experiment.FullPages: 1}}
	return n, w.op("start "+name, func() error {
		if w.existing {
			w.running[name] = n
			return nil
		}
		if !strings.HasPrefix(w.disk[name], "cluster") {
			return fmt.Errorf("%s holds %q", name, w.disk[name])
		}
		if settings["huge_pages"] == "on" && w.values[poolName] == "3" {
			return errors.New("no pool for this server")
		}
		w.running[name], w.dirty[name] = n, true
		w.most = max(w.most, len(w.running))
		return nil
	})
}

func (w *toy) Kernel(name string) (string, error) { return w.values[name], nil }

func (w *toy) SetKernel(name, value string) error {
	if name == poolName && !w.dead && w.steps+1 == w.dies && w.after {
		w.values[name] = "5" // killed in the middle: some of the pages are there
		w.steps++
		w.die()
		return errDead
	}
	return w.op("set "+name+" "+value, func() error {
		if name == poolName && w.scattered > 0 && value != "3" {
			w.scattered--
			w.values[name] = "5"
			return errors.New("5 is there")
		}
		w.values[name] = value
		return nil
	})
}

func (w *toy) Compact(empty bool) error {
	return w.op(fmt.Sprintf("compact %t", empty), func() error { return nil })
}

func (w *toy) DropCaches() error { return w.op("drop caches", func() error { return nil }) }

func (w *toy) Memory() (host.Memory, error) {
	return host.Memory{Total: 16 * unit.GB, Available: 12 * unit.GB, HugePageSize: 2 * unit.MB}, nil
}

func (w *toy) Space() (free, total unit.Bytes, err error) { return w.free, 100 * unit.GB, nil }

func (w *toy) Calibrate(context.Context) (machine.Calibration, error) {
	w.calibrations++
	c := machine.Calibration{CPU: 200 * time.Millisecond, Memory: 20 * time.Millisecond, Sync: 20 * time.Millisecond}
	if w.slow != nil {
		c.CPU = w.slow(w.calibrations)
	}
	return c, w.op("calibration", func() error { return nil })
}

func (w *toy) Pause(_ context.Context, d time.Duration) error {
	return w.op("pause", func() error { w.clock = w.clock.Add(d); return nil })
}

func (w *toy) Watch(n machine.Node, _ func(error)) func() machine.Seen {
	return func() machine.Seen {
		s := machine.Seen{Wall: time.Second, All: 2, Busy: 1, Own: 1, Known: true, PageTables: 4096}
		if w.busy != nil {
			t := n.(*toyNode)
			label := "A"
			if t.conf["work_mem"] == "8MB" {
				label = "B"
			}
			s.Busy += w.busy(len(w.drives), label)
		}
		if w.steal != nil {
			s.Steal = w.steal(len(w.drives))
		}
		return s
	}
}

func (w *toy) Now() time.Time { return w.clock }

type toyNode struct {
	w     *toy
	name  string
	conf  map[string]string
	count map[string]float64
	done  int
	under int // seconds under load
}

func (n *toyNode) Conn() loadgen.Conn { return loadgen.Conn{Host: n.name, Account: scratch.Account{}} }
func (n *toyNode) Prepare(context.Context) error {
	return n.w.op("prepare", func() error { n.w.disk[n.name] = "cluster loaded"; return nil })
}

func (n *toyNode) Settings(context.Context) ([]machine.Setting, error) {
	out := []machine.Setting{{Name: "shared_buffers", Value: "16384", Unit: "8kB", Kind: "integer"},
		{Name: "work_mem", Value: "4096", Unit: "kB", Kind: "integer"},
		{Name: "huge_pages", Value: "try", Kind: "enum"},
		{Name: "fsync", Value: "on", Kind: "bool"}, {Name: "checkpoint_timeout", Value: "300", Unit: "s",
			Kind: "integer"}, {Name: "full_page_writes", Value: "on", Kind: "bool"}}
	for name, v := range n.conf {
		i := slices.IndexFunc(out, func(s machine.Setting) bool { return strings.EqualFold(s.Name, name) })
		if i < 0 {
			continue
		}
		out[i].Source = "configuration file"
		if full, ok := map[string]string{"8MB": "8192", "of": "off", "1min": "60", "90s": "90"}[v]; ok {
			v = full
		}
		out[i].Value = v
	}
	return out, nil
}

func (n *toyNode) Prewarm(context.Context) (say.Message, error) {
	if n.w.truncated > 0 {
		n.w.truncated--
		return say.Message{}, fmt.Errorf("statement on a scratch instance: %w",
			&pgconn.PgError{Code: "22023", Message: "ending block number must be between 0 and 41"})
	}
	return say.Message{}, nil
}

func (n *toyNode) Counters(context.Context) (machine.Counters, error) {
	return machine.Counters{Values: maps.Clone(n.count), Checkpoints: n.done}, nil
}

func (n *toyNode) Checkpoint(context.Context) (time.Duration, error) {
	return time.Second, n.w.op("checkpoint", func() error {
		n.done += n.under/n.each() + 1
		n.under = 0
		return nil
	})
}

// checkpointed moves with each checkpoint: those that were asked for, and one all
// five seconds of load, or whatever checkpoint_timeout says.
func (n *toyNode) Checkpointed() (uint64, error) {
	return uint64(n.done + n.under/n.each()), nil
}

func (n *toyNode) each() int {
	if v, err := strconv.Atoi(n.conf["checkpoint_timeout"]); err == nil {
		return v
	}
	if n.w.idle {
		return 1 << 20
	}
	return 5
}
func (n *toyNode) DatabaseSize(context.Context) (int64, error) { return 16 << 20, nil }
func (n *toyNode) CPU() (time.Duration, error)                 { return 0, nil }
func (n *toyNode) Alive() error {
	if n.w.running[n.name] != n {
		return errors.New("PANIC: it is over")
	}
	return nil
}
func (n *toyNode) PID() int { return 1 }
func (n *toyNode) Close() error {
	return n.w.op("stop "+n.name, func() error { delete(n.w.running, n.name); delete(n.w.dirty, n.name); return nil })
}

// toyShelf are the documents of a toy.
type toyShelf struct{ w *toy }

func (s toyShelf) read(name string) ([]byte, error) {
	if b, ok := s.w.dir[name]; ok {
		return b, nil
	}
	return nil, fs.ErrNotExist
}

func (s toyShelf) put(name string, b []byte) error {
	return s.w.op("save "+name, func() error { s.w.dir[name] = b; return nil })
}

func (s toyShelf) add(name string, line []byte) error {
	return s.w.op("add "+name, func() error {
		s.w.dir[name] = append(append(s.w.dir[name], line...), '\n')
		return nil
	})
}

// toyLoad is a load on a toy: what it measures is a function of the seed and of
// the configuration, so that a resumed experiment has to come to the same.
type toyLoad struct {
	w      *toy
	writes bool
	words  string
	least  float64 // of a run, in seconds
}

func (l *toyLoad) Describe(scale int) experiment.MeasuredWorkload {
	return experiment.MeasuredWorkload{Name: "toy", Scale: scale, Writes: l.writes}
}
func (l *toyLoad) Identity() string          { return "toy" + l.words }
func (l *toyLoad) Data() string              { return "toy" + l.words }
func (l *toyLoad) EndsWhole() bool           { return l.words != "until its end" }
func (l *toyLoad) Size(scale int) unit.Bytes { return unit.Bytes(scale) * 16 * unit.MB }
func (l *toyLoad) Shortest(int, int) float64 { return l.least }
func (l *toyLoad) Fill(_ context.Context, _ loadgen.Conn, _ int, told func(done, all int64)) error {
	told(1, 1)
	return l.w.op("fill", func() error { return nil })
}

func (l *toyLoad) Drive(ctx context.Context, d loadgen.Drive) (loadgen.Driven, error) {
	folder := "/dev/shm/" + loadgen.LoadFolder + strconv.Itoa(l.w.steps)
	if err := d.Made(folder); err != nil {
		return loadgen.Driven{}, err
	}
	l.w.folders[folder] = true
	n := l.w.running[d.Conn.Host]
	if n == nil {
		return loadgen.Driven{}, errDead
	}
	if l.w.fail != nil {
		if err := l.w.fail(d); err != nil {
			delete(l.w.folders, folder)
			return loadgen.Driven{}, err
		}
	}
	err := l.w.op(fmt.Sprintf("drive %s %g %d", d.Conn.Host, d.Seconds, d.Transactions), func() error {
		l.w.drives = append(l.w.drives, d)
		delete(l.w.folders, folder)
		return nil
	})
	if err != nil {
		return loadgen.Driven{}, err
	}
	if ctx.Err() != nil {
		return loadgen.Driven{}, context.Cause(ctx)
	}
	rate := 1000 + float64(d.Seed%100)
	if n.conf["work_mem"] == "8MB" {
		rate *= 1.1
	}
	if l.w.rate != nil {
		rate = l.w.rate(d, n.conf["work_mem"] == "8MB")
	}
	tx := int64(rate * d.Seconds)
	seconds := d.Seconds
	if d.Transactions > 0 {
		tx, seconds = int64(d.Transactions*d.Clients), 1
	} else {
		for i := range int(d.Seconds) {
			n.under++
			if d.Second != nil && d.Second(rate) {
				if d.Whole {
					seconds, tx = float64(i+1), int64(rate*float64(i+1))
				}
				break
			}
		}
	}
	n.count[experiment.WALBytes] += float64(tx) * 100
	h := &measured.Histogram{}
	for i := range int64(100) {
		h.Record(1000 + i)
	}
	return loadgen.Driven{Seconds: seconds, Transactions: tx, Mean: 1, SD: 0.5, Latencies: h, Command: "pgbench",
		CPU: time.Second, Failed: l.w.refused}, nil
}

// toyExperiment is one of a design; its configuration B wants huge pages where they are
// allowed.
func toyExperiment(w *toy, design string, writes bool) *Order {
	return &Order{
		Experiment: experiment.Experiment{
			A: experiment.Configuration{Name: "default"},
			B: experiment.Configuration{Name: "other", Settings: map[string]string{"work_mem": "8MB",
				"huge_pages": "on"}, HugePages: 7, Kernel: map[knob.Address]string{}},
			Design: design, Metric: "tps", Scale: 2, Dir: "/docs", Scratch: "/scratch",
			Spec: experiment.Spec{Blocks: 6, Clients: 2, Jobs: 1, Duration: 12, Warmup: 60, Slice: 3, Count: 10,
				Seed: 5, Cache: "os-warm", Protocol: "prepared", Margin: 2},
			Host: experiment.Host{Kernel: "6.1", CPUs: 2, Memory: 1 << 34},
		},
		Load: &toyLoad{w: w, writes: writes}, MayTouchKernel: true,
	}
}

func clean(t *testing.T, w *toy) {
	t.Helper()
	if len(w.disk) > 0 || len(w.running) > 0 || len(w.folders) > 0 || w.claimed {
		t.Errorf("left behind: files %v, %d servers, folders %v, claimed %v", slices.Sorted(maps.Keys(w.disk)),
			len(w.running), w.folders, w.claimed)
	}
	if w.values[poolName] != "3" || w.values["thp:enabled"] != "madvise" {
		t.Errorf("values of the kernel: %v", w.values)
	}
}
