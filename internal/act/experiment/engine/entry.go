package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// DefaultScratch is where root's experiments make their clusters. It is not below the directory of the journal, which
// no other user may traverse: the servers run as another user.
const DefaultScratch = "/var/lib/pgfettle-scratch"

// Run runs an experiment from its beginning. It leaves nothing but the documents in e.Dir, however it ends; what it
// measured is returned with the error too, and can be resumed. A load that does not exist is made as e.Asked says.
func Run(ctx context.Context, e *Order) (*experiment.Result, error) {
	if e.Load == nil {
		if err := e.make(ctx); err != nil {
			return nil, err
		}
	}
	return begin(ctx, e, false)
}

// make makes the load. One from statements asks the live server for them.
func (e *Order) make(ctx context.Context) error {
	from := e.Asked.Source
	if from == nil {
		return e.plan(ctx)
	}
	if e.Progress != nil {
		e.Progress(experiment.Event{Step: "statements"})
	}
	made, notes, err := from.Make(ctx, e.Binaries.Version)
	if err != nil {
		return err
	}
	e.Load, e.Asked.Mix, e.Host.Pgbench = made, made.Mix(), "pgbench "+made.Program.Version.String()
	e.Notes = append(e.Notes, notes...)
	return nil
}

// plan makes the load, except for what a live server is asked for.
func (e *Order) plan(ctx context.Context) (err error) {
	if err := e.Asked.Absolute(); err != nil {
		return err
	}
	e.Load, e.Host.Pgbench, err = e.Asked.Build(ctx, e.newest())
	return err
}

// newest is the version of the server of A or B, whichever is newer.
func (e *Order) newest() unit.Version {
	v := max(e.Binaries.Version, e.Second.Version)
	for _, d := range []*machine.Database{e.On, e.OnB} {
		if d != nil {
			v = max(v, d.Version)
		}
	}
	return v
}

// Resume goes on with the experiment in e.Dir at the block after the last whole one, with the seeds that it would have
// had. It refuses where anything that makes runs comparable differs. See ReadStored for how to build e.
func Resume(ctx context.Context, e *Order) (*experiment.Result, error) { return begin(ctx, e, true) }

// Again is how an experiment goes on.
type Again struct {
	MayTouchKernel, KeepData bool
	More                     int // blocks to add to one that did not decide; 0: it was interrupted
	Progress                 func(experiment.Event)
	MostCalibrations         int // see Order
}

// ResumeIn goes on with the experiment whose documents are in a directory.
func ResumeIn(ctx context.Context, dir string, a Again) (*experiment.Result, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	st, err := ReadStored(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &say.Problem{Message: say.M("{dir} contains nothing to continue", "dir", say.Quoted(dir)),
			Hint: say.M("an experiment that is only a result.json can be shown with --report"), Code: say.CodeUsage}
	case err != nil:
		return nil, err
	}
	var e Order
	if err := e.servers(ctx, st); err != nil {
		return nil, err
	}
	load, _, err := st.Asked.Build(ctx, e.newest())
	if err != nil {
		return nil, err
	}
	if a.More > 0 {
		if st, err = extend(folder{path: abs, mode: modeOf(load)}, st, a.More); err != nil {
			return nil, err
		}
	}
	e.Experiment = experiment.Experiment{Name: st.Name, A: st.A, B: st.B, Design: st.Design, Metric: st.Metric,
		Spec: st.Spec, Scale: st.Workload.Scale, Restore: st.Restore, Dir: abs, Scratch: st.Scratch, Host: st.Host,
		Database: st.Database, DatabaseB: st.DatabaseB, Fills: st.Fills}
	e.Load, e.Asked, e.MayTouchKernel, e.KeepData = load, st.Asked, a.MayTouchKernel, a.KeepData
	e.Progress, e.MostCalibrations = a.Progress, a.MostCalibrations
	return Resume(ctx, &e)
}

// servers finds what an experiment ran on.
func (e *Order) servers(ctx context.Context, st Stored) (err error) {
	if st.Database != "" {
		if e.On, err = machine.FindDatabase(ctx, st.Database); err != nil {
			return err
		}
		if e.OnB = e.On; st.DatabaseB != "" && st.DatabaseB != st.Database {
			e.OnB, err = machine.FindDatabase(ctx, st.DatabaseB)
		}
		return err
	}
	if e.Binaries, err = scratch.At(ctx, st.Binaries); err != nil {
		return err
	}
	if st.Second != "" {
		e.Second, err = scratch.At(ctx, st.Second)
	}
	return err
}

// program is a hash over what runs: the servers' programs, or which existing databases they are.
func (e *Order) program() (string, error) {
	if e.On != nil {
		sum := sha256.New()
		for _, d := range []*machine.Database{e.On, e.OnB} {
			if d != nil {
				fmt.Fprintln(sum, d.Version, d.Cluster, d.OID)
			}
		}
		return hex.EncodeToString(sum.Sum(nil)), nil
	}
	sum, err := machine.Program(e.Binaries)
	if err != nil || e.Second.Dir == "" {
		return sum, err
	}
	second, err := machine.Program(e.Second)
	return sum + " " + second, err
}

func begin(ctx context.Context, e *Order, resume bool) (*experiment.Result, error) {
	if e.Dir == "" || e.Load == nil || e.Binaries.Dir == "" && e.On == nil {
		return nil, errors.New("experiment without a folder, a load or a server")
	}
	sum, err := e.program()
	if err != nil {
		return nil, err
	}
	docs := folderOf(e)
	dirMode := fs.FileMode(0o755)
	if docs.mode == privately {
		dirMode = 0o700
	}
	if err := os.MkdirAll(e.Dir, dirMode); err != nil {
		return nil, machine.Access(err)
	}
	if !resume {
		if err := unused(e.Dir); err != nil {
			return nil, err
		}
	}
	m := machine.New(e.Scratch, e.Binaries, e.Guard)
	m.CalibrationBytes, m.Second = e.CalibrationBytes, e.Second
	if e.On != nil {
		m.Databases = map[string]*machine.Database{"A": e.On, "B": e.OnB}
	}
	return execute(ctx, e, m, docs, sum, resume)
}

// unused refuses a directory for documents that is a cluster's or an experiment's.
func unused(dir string) error {
	for _, name := range []string{"PG_VERSION", "postmaster.pid", machine.Marker} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return &say.Problem{Message: say.M("{dir} is no place for documents: it holds {name}", "dir", dir, "name",
				name),
				Hint: say.M("choose another directory"), Code: say.CodeRefused}
		}
	}
	return nil
}

// Clean puts back what an experiment that was killed has left in a scratch directory and in the kernel, and returns
// what that was. A directory that does not exist is clean.
func Clean(folder string, b scratch.Binaries) (done []string, err error) {
	if _, err := os.Lstat(filepath.Join(folder, machine.Marker)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := machine.New(folder, b, machine.Guard{})
	if err := m.Claim(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Release()) }()
	done, err = untouch(m)
	if err != nil {
		return done, err
	}
	names, err := m.List()
	if err != nil {
		return done, err
	}
	slices.Sort(names)
	for _, name := range names {
		done = append(done, m.Path(name))
	}
	return done, sweep(m, "")
}
