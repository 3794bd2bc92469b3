package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// masterName is the file that says that the loaded cluster is whole, and what was loaded into it. Of the cluster of a
// second server nothing is said: it is not kept.
const masterName = "master.json"

// firstMaster is the loaded cluster; secondMaster that of the server of configuration B, where it has its own.
const (
	firstMaster  = "master"
	secondMaster = firstMaster + machine.OfSecond
)

// masterOf is the loaded cluster of a configuration.
func (e *Order) masterOf(label string) string {
	if label == "B" && e.Second.Dir != "" {
		return secondMaster
	}
	return firstMaster
}

// loadName is the file that names the directory of the load that runs.
const loadName = "load.json"

type masterMark struct {
	Data  string `json:"data"`           // identity of what was loaded
	Bytes int64  `json:"database_bytes"` // of its database
}

// masterMark is the identity of the data of this experiment.
func (g *engine) masterMark() string {
	return fmt.Sprintf("%s scale %d %s", g.e.Load.Data(), g.e.Scale, g.e.Binaries)
}

// sweep puts the scratch directory and the kernel back to nothing of ours. A loaded cluster with the given data may
// stay; "" lets none.
func sweep(w world, data string) error {
	var errs []error
	if _, err := untouch(w); err != nil {
		errs = append(errs, err)
	}
	if b, err := w.Read(loadName); err == nil {
		var dir string
		if err := json.Unmarshal(b, &dir); err != nil {
			errs = append(errs, err)
		} else {
			errs = append(errs, w.Drop(dir))
		}
	}
	names, err := w.List()
	errs = append(errs, err)
	keep := []string{recordName} // gone, unless something could not be restored
	if m, err := readMark(w); err == nil && data != "" && m.Data == data {
		keep = append(keep, firstMaster, masterName)
	} else if err == nil {
		// The mark goes first: a cluster that is half removed is none.
		errs = append(errs, w.Remove(masterName))
	}
	for _, name := range names {
		if !slices.Contains(keep, name) {
			errs = append(errs, w.Remove(name))
		}
	}
	return errors.Join(errs...)
}

func readMark(w world) (masterMark, error) {
	var m masterMark
	b, err := w.Read(masterName)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}

// masters makes the clusters that all copies come from and loads them, where they are not there yet.
func (g *engine) masters(ctx context.Context) error {
	if g.e.On != nil {
		return g.existing(ctx)
	}
	if err := g.master(ctx); err != nil || g.e.Second.Dir == "" {
		return err
	}
	// What another process left of it is gone: see sweep.
	_, err := g.fill(ctx, secondMaster)
	return err
}

// master makes the first of them.
func (g *engine) master(ctx context.Context) error {
	m, err := readMark(g.w)
	switch {
	case err == nil:
		if err := g.foreign(firstMaster); err != nil {
			return err
		}
		ok, err := g.w.Rest(ctx, firstMaster)
		if err != nil {
			return err
		}
		if !ok { // it was killed so that it does not start again
			if err := sweep(g.w, ""); err != nil {
				return err
			}
			return g.master(ctx)
		}
		if err := g.shield(); err != nil {
			return err
		}
		g.res.Workload.Bytes = m.Bytes
		return g.room(unit.Bytes(m.Bytes), true)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := g.room(g.e.Load.Size(g.e.Scale), false); err != nil {
		return err
	}
	if m.Bytes, err = g.fill(ctx, firstMaster); err != nil {
		return err
	}
	m.Data, g.res.Workload.Bytes = g.masterMark(), m.Bytes
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := g.w.Put(masterName, b); err != nil {
		return err
	}
	if err := g.shield(); err != nil {
		return err
	}
	return g.room(unit.Bytes(m.Bytes), true)
}

// fill makes a cluster and loads it, and returns how large its database is.
func (g *engine) fill(ctx context.Context, name string) (size int64, err error) {
	g.tell(experiment.Event{Step: "load"})
	if err := g.w.InitDB(ctx, name); err != nil {
		return 0, err
	}
	if err := g.foreign(name); err != nil {
		return 0, err
	}
	// Loaded with fixed settings, so that it is the same whatever the configurations: no checkpoint by time, and
	// indexes sorted in memory.
	n, err := g.w.Start(ctx, name, map[string]string{"checkpoint_timeout": "1h", "maintenance_work_mem": "256MB",
		"autovacuum": "off"})
	if err != nil {
		return 0, err
	}
	err = func() error {
		if err := g.load(ctx, n); err != nil {
			return err
		}
		if size, err = n.DatabaseSize(ctx); err != nil {
			return err
		}
		_, err = n.Checkpoint(ctx)
		return err
	}()
	if err := errors.Join(err, n.Close()); err != nil {
		return 0, err
	}
	return size, nil
}

// load loads the data of the load into a server that runs.
func (g *engine) load(ctx context.Context, n machine.Node) error {
	g.tell(experiment.Event{Step: "load"})
	if err := g.e.Load.Fill(ctx, n.Conn(), g.e.Scale, func(done, all int64) {
		g.tell(experiment.Event{Step: "load", Done: done, All: all})
	}); err != nil {
		return say.Err("loading of the workload's data: {reason}", "reason", errors.Join(err, n.Alive()))
	}
	if from, ok := g.e.Load.(interface{ Notes() []say.Message }); ok {
		for _, note := range from.Notes() {
			g.note(note)
		}
	}
	return n.Prepare(ctx)
}

// shield takes the mark from a cluster that servers are about to run on without what makes it survive a crash: after
// one, it is not taken for complete.
func (g *engine) shield() error {
	if g.e.Restore != experiment.RestoreShared {
		return nil // copies are run on
	}
	for _, label := range g.e.labels() {
		for name, v := range g.e.configuration(label).Settings {
			if on, ok := boolean(v); slices.Contains([]string{"fsync", "full_page_writes"}, strings.ToLower(name)) &&
				(!ok || on == "off") {
				return g.w.Remove(masterName)
			}
		}
	}
	return nil
}

// existing loads the existing databases that are empty, and measures that of A.
func (g *engine) existing(ctx context.Context) error {
	for _, label := range g.e.labels() {
		if label == "B" && g.e.OnB.Same(g.e.On) {
			break
		}
		n, err := g.w.Start(ctx, label, nil)
		if err != nil {
			return err
		}
		if err := g.loaded(ctx, n, g.e.database(label)); err != nil {
			return err
		}
		if label == "A" {
			if g.res.Workload.Bytes, err = n.DatabaseSize(ctx); err != nil {
				return err
			}
		}
		if err := n.Close(); err != nil {
			return err
		}
	}
	return nil
}

// loaded loads an existing database that is to be loaded, and is empty still.
func (g *engine) loaded(ctx context.Context, n machine.Node, d *machine.Database) error {
	data := machine.Loaded{Data: g.e.Load.Data(), Scale: g.e.Scale}
	switch {
	case !slices.Contains(g.e.Fills, d.Text()):
		return nil
	case d.Tables == 0:
		d.Loaded = data
		return g.load(ctx, n)
	case d.Loaded == data:
		return nil // by the process that was interrupted
	}
	return &say.Problem{Message: say.M("{database} was left half loaded", "database", d.Text()),
		Hint: say.M("drop and create it again, and begin a new experiment"), Code: say.CodeRefused}
}

// mayStay is the identity of the data of a loaded cluster that may stay in the scratch directory.
func (g *engine) mayStay() string {
	if g.e.On == nil {
		return g.masterMark()
	}
	m, err := readMark(g.w) // of another experiment: nothing is loaded here
	if err != nil {
		return ""
	}
	return m.Data
}

// keepData returns the identity of the data that shall stay after the end; "": none, because it was not requested, or
// there are none that could be reused.
func (g *engine) keepData(ctx context.Context) string {
	if g.e.On != nil {
		return g.mayStay()
	}
	if !g.e.KeepData {
		return ""
	}
	m, err := readMark(g.w)
	if err != nil || m.Data != g.masterMark() {
		return ""
	}
	if ok, err := g.w.Rest(ctx, firstMaster); err != nil || !ok {
		return "" // then it is removed, which reports what is wrong with it
	}
	return m.Data
}

// tellKept reports where the loaded cluster is and how large.
func (g *engine) tellKept() {
	n, err := g.w.Size(firstMaster)
	if err != nil {
		n = 0 // not known
	}
	g.tell(experiment.Event{Step: "kept", Kept: filepath.Join(g.e.Scratch, firstMaster), Done: int64(n)})
}

// Held is what lies loaded in a scratch directory.
type Held struct {
	Fits  bool       // its data are those of the experiment: they are not loaded again
	Bytes unit.Bytes // of its database
}

// Loaded looks whether a scratch directory holds a loaded cluster; nil: it does not, or it cannot be read.
func Loaded(e *Order) *Held {
	g := &engine{e: e, w: machine.New(e.Scratch, e.Binaries, e.Guard)}
	m, err := readMark(g.w)
	if err != nil {
		return nil
	}
	return &Held{Fits: m.Data == g.masterMark(), Bytes: unit.Bytes(m.Bytes)}
}

// foreign refuses a cluster that is not a scratch one, by the identifier that
// every copy of a cluster has.
func (g *engine) foreign(name string) error {
	id, err := g.w.System(name)
	if err != nil {
		return err
	}
	if slices.Contains(g.e.Guard.Systems, id) {
		return &say.Problem{Message: say.M("the cluster in the scratch directory is a copy of a server that runs here"),
			Detail: say.M("system identifier {id}", "id", fmt.Sprint(id)),
			Hint:   say.M("choose another scratch directory: experiments only use clusters that they created"),
			Code:   say.CodeRefused}
	}
	return nil
}

// room verifies that the filesystem has the space for the clusters that are still to be made.
func (g *engine) room(data unit.Bytes, loaded bool) error {
	free, total, err := g.w.Space()
	if err != nil {
		return err
	}
	need := disk(g.e, data)
	if loaded {
		need -= data + overhead
	}
	if least := total / 100 * machine.LeastFree; free-need < least {
		return &say.Problem{Message: say.M("the experiment needs {need} of disk space in {scratch}, and {free} are "+
			"free", "need", need, "scratch", g.e.Scratch, "free", free),
			Detail: say.M("{leastFree} % of the filesystem ({least}) are to stay free", "leastFree",
				fmt.Sprint(machine.LeastFree), "least", least),
			Hint: say.M("use a smaller scale, or a scratch directory on a larger filesystem"), Code: say.CodeRefused}
	}
	return nil
}
