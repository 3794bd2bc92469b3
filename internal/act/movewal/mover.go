package movewal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Mover moves the directory pg_wal of instances.
type Mover struct {
	Target  target.Target
	Server  Server
	Folders func(*target.User) target.Folders // those of a user; nil is ourselves

	// Interrupt ends a move that has not come to the switch yet: all is then put
	// back. nil: it is not to be interrupted.
	Interrupt context.Context
	Tell      func(string)                         // one step, for a person; may be nil
	Progress  func(what string, done, whole int64) // bytes; may be nil
}

// Server stops and starts the server of an instance.
type Server interface {
	Runs(in *snapshot.Instance) (bool, error)
	Stop(ctx context.Context, in *snapshot.Instance) error
	Start(ctx context.Context, in *snapshot.Instance) error
	Checkpoint(ctx context.Context, in *snapshot.Instance)
	Busy(ctx context.Context, in *snapshot.Instance) (string, error)
	Commands(ctx context.Context, in *snapshot.Instance) (stop, start string, err error)
	Log(ctx context.Context, in *snapshot.Instance) string
	UseLog(in *snapshot.Instance, at string)
}

func (w *Mover) tell(format string, args ...any) {
	if w.Tell != nil {
		w.Tell(fmt.Sprintf(format, args...))
	}
}

// view is the target with the rights of the account of an instance to files: those of the user nobody if there is none
// any more. See directories.
func (w *Mover) view(dir string) target.Target {
	a, err := pgctl.Account(w.Target, dir)
	switch {
	case err != nil:
		return w.Target.As(target.User{UID: trust.Nobody, GID: trust.Nobody})
	case a == nil:
		return w.Target
	}
	return w.Target.As(a.User())
}

// folders are those of the account of an instance. dir has found that there is one; if that has changed meanwhile, they
// are those of the user nobody, which has no rights.
func (w *Mover) folders(dir string) target.Folders {
	a, err := pgctl.Account(w.Target, dir)
	switch {
	case err != nil:
		return w.Folders(&target.User{UID: trust.Nobody, GID: trust.Nobody})
	case a == nil:
		return w.Folders(nil)
	}
	u := a.User()
	return w.Folders(&u)
}

// Place says where the WAL is now.
func (w *Mover) Place(dir string) (Place, error) {
	at := path.Join(dir, Name)
	text, err := w.Target.Readlink(at)
	if err != nil {
		if in, err := w.Target.Stat(at); err != nil {
			return Place{}, err
		} else if !in.Mode.IsDir() {
			return Place{}, say.Err("{path} is neither a directory nor a link to one", "path", at)
		}
		return Place{Path: at}, nil
	}
	real, err := w.Target.Resolve(at)
	if errors.Is(err, fs.ErrNotExist) {
		return Place{}, &say.Problem{Message: say.M("{at} leads to {text}, which is not there", "at", at, "text", text),
			Detail: say.M("without its WAL the server cannot start"), Code: say.CodeError,
			Hint: say.M("mount the filesystem that holds it")}
	}
	if err != nil {
		return Place{}, err
	}
	return Place{Path: real, Link: text}, nil
}

// DataDir is the data directory of an instance, as the server itself has it.
func (w *Mover) DataDir(in *snapshot.Instance) (string, error) {
	if in == nil {
		return "", errors.New("no instance")
	}
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return "", &say.Problem{Message: say.M("the data directory of {label} is not known", "label", in.Label()),
			Detail: gapwords.Of(in.DataDirectory.Gap().Reason), Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle as root or as the owner of the data directory")}
	}
	if a, err := pgctl.Account(w.Target, dir); err != nil {
		return "", err
	} else if a != nil {
		return w.Target.As(a.User()).Resolve(dir)
	}
	return w.Target.Resolve(dir)
}

// Bring brings the WAL to a place, forward or back from wherever a crash has left a move. A failed one is undone
// automatically, so that the server is as it was before. made says that the place it is in was made for an earlier
// move.
func (w *Mover) Bring(ctx context.Context, in *snapshot.Instance, dir string, here, to Place, made bool) error {
	n, err := w.record(dir)
	if err != nil {
		return err
	}
	m := &move{Mover: w, in: in, dir: dir, n: n, f: w.folders(dir)}
	switch {
	case n == nil && here.same(to):
		return m.f.Drop(path.Join(dir, recordName)) // one that was begun to be written
	case n == nil:
		if err := m.begin(ctx, here, to, made); err != nil {
			return err
		}
		return m.either(ctx)
	case to.same(n.To):
		return m.either(ctx)
	case to.same(n.From):
		return m.backward(ctx)
	}
	return say.Err("another move of {instance} is under way, from {dir} to {other}",
		"instance", path.Join(dir, Name), "dir", n.From.Path, "other", n.To.Path)
}
