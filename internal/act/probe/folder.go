package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// prefix begins the names of our directories. pg_basebackup, pg_rewind and pg_checksums skip what begins with
// pgsql_tmp, so that one which is made inside of a data directory, for want of another place, is in no backup.
const prefix = "pgsql_tmp_pgfettle-"

// ownerFile says whose a directory is.
const ownerFile = ".pgfettle-owner"

// maxStale bounds how many names of a directory are examined for what an earlier probe left there.
const maxStale = 100_000

// folder is a private directory on a filesystem. Everything in it is done as the owner of the place: root would follow
// the owner's links.
type folder struct {
	t    target.Target
	path string
	as   *target.User
}

// makeFolder makes one, and removes those of probes that were killed.
func (w *Work) makeFolder(ctx context.Context, d *Place) (*folder, error) {
	f := &folder{t: w.t, as: &d.as}
	if w.t.UID() != 0 {
		f.as = nil // we are the owner
	}
	f.sweep(ctx, d.Parent)
	mark, err := scratch.OwnerMark()
	if err != nil {
		return nil, say.Err("private directory: {reason}", "reason", err)
	}
	f.path = path.Join(d.Parent, prefix+strings.ToLower(rand.Text()[:12]))
	// One command, so that there is no moment with a directory and without its mark but that between two system calls
	// of the shell, which has all it needs: it ends what it began where we are killed meanwhile.
	script := `umask 077 && mkdir -- "$0" && printf %s "$1" > "$0/` + ownerFile + `"`
	out, err := f.run(ctx, target.Command{Argv: []string{"/bin/sh", "-c", script, f.path, mark}})
	if err == nil && out.Code != 0 {
		err = errors.New(oneLine(out.Stderr))
	}
	if err != nil {
		_ = f.remove()
		return nil, say.Err("private directory in {path}: {reason}", "path", d.Parent, "reason", err)
	}
	return f, nil
}

func (f *folder) run(ctx context.Context, c target.Command) (target.Output, error) {
	c.As = f.as
	return f.t.Run(ctx, c)
}

// removeTime is more than the removal of a file of 1 GB takes on any filesystem.
const removeTime = time.Minute

// remove takes the directory away with all that is in it, whether or not the run was interrupted.
func (f *folder) remove() error { return f.removeOf(context.Background(), f.path) }

// removals is how often a removal is tried: a program that outlives its probe may make a file while rm removes those
// beside it, but once, as each makes one file.
const removals = 3

func (f *folder) removeOf(ctx context.Context, name string) error {
	var err error
	for range removals {
		var out target.Output
		out, err = f.run(ctx, target.Command{Argv: []string{"rm", "-rf", "--", name}, Timeout: removeTime})
		if err == nil && out.Code == 0 {
			return nil
		}
		if err == nil {
			err = errors.New(oneLine(out.Stderr))
		}
	}
	return say.Err("{path} could not be removed: {reason}", "path", name, "reason", err)
}

// sweep removes the directories of probes whose process has ended.
func (f *folder) sweep(ctx context.Context, parent string) {
	view := f.t
	if f.as != nil {
		view = f.t.As(*f.as)
	}
	names, err := view.ReadDir(parent)
	if err != nil {
		return
	}
	for i, n := range names {
		if i == maxStale {
			return
		}
		if !strings.HasPrefix(n, prefix) {
			continue
		}
		at := path.Join(parent, n)
		mark, err := view.ReadFile(path.Join(at, ownerFile), 256) // four words of some twenty characters
		if err == nil && scratch.OwnerGone(string(mark)) {
			_ = f.removeOf(ctx, at) // what is left of it is tried again next time
		}
	}
}
