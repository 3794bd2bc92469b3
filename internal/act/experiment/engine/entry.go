package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// DefaultScratch is where root's experiments make their clusters. It is not below
// the folder of the journal, which nobody else may pass through: the servers run
// as another user.
const DefaultScratch = "/var/lib/pgfettle-scratch"

// Run runs an experiment from its beginning. It leaves nothing but the documents
// in e.Dir, however it ends; what it measured is returned with the error too, and
// can be resumed.
func Run(ctx context.Context, e *Experiment) (*experiment.Result, error) { return begin(ctx, e, false) }

// Resume goes on with the experiment in e.Dir at the block after the last whole
// one, with the seeds that it would have had. It refuses where anything that
// makes runs comparable differs. ReadStored tells how to build e.
func Resume(ctx context.Context, e *Experiment) (*experiment.Result, error) {
	return begin(ctx, e, true)
}

func begin(ctx context.Context, e *Experiment, resume bool) (*experiment.Result, error) {
	if e.Dir == "" || e.Load == nil || e.Binaries.Dir == "" {
		return nil, errors.New("experiment without a folder, a load or a server")
	}
	sum, err := program(e.Binaries)
	if err != nil {
		return nil, err
	}
	shelf := shelfOf(e)
	dirMode := fs.FileMode(0o755)
	if shelf.mode == privately {
		dirMode = 0o700
	}
	if err := os.MkdirAll(e.Dir, dirMode); err != nil {
		return nil, access(err)
	}
	if !resume {
		if err := free(e.Dir); err != nil {
			return nil, err
		}
	}
	m := &machine{dir: e.Scratch, bin: e.Binaries, guard: e.Guard}
	return execute(ctx, e, m, shelf, sum, resume)
}

// free refuses a folder for documents that is a cluster's or an experiment's.
func free(dir string) error {
	for _, name := range []string{"PG_VERSION", "postmaster.pid", Marker} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return &say.Problem{Message: dir + " is no place for documents: it holds " + name, Hint: "choose another folder", Code: say.CodeRefused}
		}
	}
	return nil
}

// Clean puts back what an experiment that was killed has left in a scratch folder
// and in the kernel, and returns what that was. A folder that is not there is
// clean.
func Clean(folder string, b scratch.Binaries) (done []string, err error) {
	if _, err := os.Lstat(filepath.Join(folder, Marker)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m := &machine{dir: folder, bin: b}
	if err := m.claim(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.release()) }()
	done, err = untouch(m)
	if err != nil {
		return done, err
	}
	names, err := m.list()
	if err != nil {
		return done, err
	}
	slices.Sort(names)
	for _, name := range names {
		done = append(done, m.path(name))
	}
	return done, sweep(m, "")
}
