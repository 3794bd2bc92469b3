package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// WalLocation is the one knob of its kind: the folder that the WAL of an instance
// is in.
const WalLocation = knob.Address("wal:location")

// Wal is the kind of that knob. Its Live value is the folder itself. Its File is
// the name pg_wal in the data directory: Text is what the symbolic link says, and
// empty where pg_wal is the folder. File.Missing of what was before is the
// folder that was made for the new place, and that goes when it is left.
//
// To set it stops the server, copies, switches and starts the server again, so
// its effect is now; a move that was cut short shows in the Live value.
type Wal struct {
	Target  target.Target
	Server  WalServer
	Folders func(*target.User) target.Folders // those of a user; nil is ourselves

	// New is the move that is asked for; nil for undo, resume and status.
	New *WalFit
	// Interrupt ends a move that has not come to the switch yet: all is then put
	// back. nil: it is not to be interrupted.
	Interrupt context.Context
	Tell      func(string)                         // one step, for a person; nil: nobody listens
	Progress  func(what string, done, whole int64) // bytes; nil: nobody looks
}

// WalServer stops and starts the server of an instance.
type WalServer interface {
	Runs(in *snapshot.Instance) (bool, error)
	Stop(ctx context.Context, in *snapshot.Instance) error
	Start(ctx context.Context, in *snapshot.Instance) error
	Checkpoint(ctx context.Context, in *snapshot.Instance)
	Busy(ctx context.Context, in *snapshot.Instance) (string, error)
	Manner(ctx context.Context, in *snapshot.Instance) (stop, start string, err error)
	Log(ctx context.Context, in *snapshot.Instance) string
	UseLog(in *snapshot.Instance, at string)
}

var (
	_ Kind      = (*Wal)(nil)
	_ Guard     = (*Wal)(nil)
	_ Partial   = (*Wal)(nil)
	_ Stopper   = (*Wal)(nil)
	_ WalServer = (*PG)(nil)
)

// unfinished ends the Live value while a move is under way.
const unfinished = " (a move that was not finished)"

func (w *Wal) tell(format string, args ...any) {
	if w.Tell != nil {
		w.Tell(fmt.Sprintf(format, args...))
	}
}

// dir is the data directory of a knob, as the server itself has it.
func (w *Wal) dir(k Knob) (string, error) {
	if k.Instance == nil {
		return "", errors.New("no instance")
	}
	dir, ok := k.Instance.DataDirectory.Get()
	if !ok {
		return "", &say.Problem{Message: "the data directory of " + k.Instance.Label() + " is not known", Detail: k.Instance.DataDirectory.Gap().Reason, Code: say.CodeNoAccess,
			Hint: "run pgfettle as root or as the owner of the data directory"}
	}
	if a, err := accountIn(w.Target, dir); err != nil {
		return "", err
	} else if a != nil {
		return w.Target.As(a.User()).Resolve(dir)
	}
	return w.Target.Resolve(dir)
}

// view is the target with the rights of the account of an instance to files: those
// of nobody where there is none any more. See folders.
func (w *Wal) view(dir string) target.Target {
	a, err := accountIn(w.Target, dir)
	switch {
	case err != nil:
		return w.Target.As(target.User{UID: trust.Nobody, GID: trust.Nobody})
	case a == nil:
		return w.Target
	}
	return w.Target.As(a.User())
}

// folders are those of the account of an instance. dir has found that there is
// one; should that have changed meanwhile, they are those of nobody, who may do
// nothing.
func (w *Wal) folders(dir string) target.Folders {
	a, err := accountIn(w.Target, dir)
	switch {
	case err != nil:
		return w.Folders(&target.User{UID: trust.Nobody, GID: trust.Nobody})
	case a == nil:
		return w.Folders(nil)
	}
	u := a.User()
	return w.Folders(&u)
}

// place says where the WAL is now.
func (w *Wal) place(dir string) (walPlace, error) {
	at := path.Join(dir, walName)
	text, err := w.Target.Readlink(at)
	if err != nil {
		if in, err := w.Target.Stat(at); err != nil {
			return walPlace{}, err
		} else if !in.Mode.IsDir() {
			return walPlace{}, fmt.Errorf("%s is neither a folder nor a link to one", at)
		}
		return walPlace{Path: at}, nil
	}
	real, err := w.Target.Resolve(at)
	if errors.Is(err, fs.ErrNotExist) {
		return walPlace{}, &say.Problem{Message: at + " leads to " + text + ", which is not there", Detail: "without its WAL the server cannot start", Code: say.CodeError,
			Hint: "mount the filesystem that holds it"}
	}
	if err != nil {
		return walPlace{}, err
	}
	return walPlace{Path: real, Link: text}, nil
}

// Look implements Kind.
func (w *Wal) Look(_ context.Context, k Knob) (journal.State, error) {
	var s journal.State
	dir, err := w.dir(k)
	if err != nil {
		return s, err
	}
	here, err := w.place(dir)
	if err != nil {
		return s, err
	}
	n, err := w.note(dir)
	if err != nil {
		return s, err
	}
	in, err := w.Target.Stat(dir)
	if err != nil {
		return s, err
	}
	live := here.Path
	if _, err := w.Target.Stat(target.TempOf(path.Join(dir, walNoteName))); n != nil || err == nil {
		live += unfinished
	}
	s.Live = &live
	s.File = &journal.File{Path: path.Join(dir, walName), Text: &here.Link, UID: in.UID, GID: in.GID}
	if k.To != "" {
		// not of New: a resume has none, and its undo is to leave no folder behind
		if _, err := w.Target.Stat(k.To); errors.Is(err, fs.ErrNotExist) {
			s.File.Missing = k.To
		}
	}
	return s, nil
}

// Want implements Kind.
func (w *Wal) Want(now journal.State, _ Knob, value string) (journal.State, error) {
	if now.File == nil {
		return now, errors.New("no place of the WAL")
	}
	file, link := *now.File, value
	if value == file.Path {
		link = ""
	}
	file.Text, file.Missing = &link, ""
	return journal.State{Live: &value, File: &file}, nil
}

// Ours implements Kind: the whole of it is ours or nothing.
func (w *Wal) Ours(found, after journal.State, _ Knob) bool { return found.SameFile(after) }

// Without implements Kind.
func (w *Wal) Without(_, before journal.State, _ Knob) (journal.State, error) { return before, nil }

// Halfway implements Partial.
func (w *Wal) Halfway(found, was, will journal.State, _ Knob) bool {
	if found.Live == nil || was.Live == nil || will.Live == nil {
		return false
	}
	at, cut := strings.CutSuffix(*found.Live, unfinished)
	return cut && (at == *was.Live || at == *will.Live)
}

// Stops implements Stopper.
func (w *Wal) Stops(k Knob) bool {
	if up, err := w.Server.Runs(k.Instance); err != nil || up {
		return true // of what cannot be seen, the worse
	}
	dir, err := w.dir(k)
	if err != nil {
		return false
	}
	n, err := w.note(dir)
	return err == nil && n != nil && n.Running
}

// Allowed implements Guard: what was found fit when a person was shown it has to
// be so still.
func (w *Wal) Allowed(ctx context.Context, k Knob) error {
	if w.New == nil {
		return nil
	}
	again, err := w.Fit(ctx, k.Instance, w.New.Asked, w.New.Options)
	switch {
	case err != nil:
		return err
	case again.Here:
		return stale("pg_wal is in " + again.To + " already")
	}
	return nil
}

// MayWrite implements Scribe. Its File is a link and no file that is replaced, and
// Allowed has looked at what is written.
func (w *Wal) MayWrite(context.Context, Knob, journal.File) error { return nil }

// Set implements Kind. It goes forward or back from wherever a crash has left a
// move. One that does not succeed is taken back by itself, so that the server is
// as it was before.
func (w *Wal) Set(ctx context.Context, k Knob, s journal.State) error {
	dir, err := w.dir(k)
	if err != nil {
		return err
	}
	here, err := w.place(dir)
	if err != nil {
		return err
	}
	to, err := w.wanted(dir, here, s)
	if err != nil {
		return err
	}
	n, err := w.note(dir)
	if err != nil {
		return err
	}
	m := &walMove{Wal: w, in: k.Instance, dir: dir, n: n, f: w.folders(dir)}
	switch {
	case n == nil && here.same(to):
		return m.f.Drop(path.Join(dir, walNoteName)) // one that was begun to be written
	case n == nil:
		if err := m.begin(ctx, here, to, s); err != nil {
			return err
		}
		return m.either(ctx)
	case to.same(n.To):
		return m.either(ctx)
	case to.same(n.From):
		return m.backward(ctx)
	}
	return fmt.Errorf("another move of %s is under way, from %s to %s", path.Join(dir, walName), n.From.Path, n.To.Path)
}

// linked is the place that the name pg_wal alone tells: a step that was cut short
// before it began has nothing else to be taken back.
func linked(dir string, here walPlace, f *journal.File) (walPlace, error) {
	switch {
	case f.Text == nil:
		return walPlace{}, fmt.Errorf("%s: where it is to lead is not known", f.Path)
	case *f.Text == here.Link:
		return here, nil
	case *f.Text == "":
		return walPlace{Path: path.Join(dir, walName)}, nil
	case path.IsAbs(*f.Text):
		return walPlace{Path: *f.Text, Link: *f.Text}, nil
	}
	return walPlace{Path: path.Join(dir, *f.Text), Link: *f.Text}, nil
}

// wanted is the place that a state names. A part that is nil is as it is.
func (w *Wal) wanted(dir string, here walPlace, s journal.State) (walPlace, error) {
	at := path.Join(dir, walName)
	switch {
	case s.Live == nil && s.File == nil:
		return here, nil
	case s.Live == nil:
		return linked(dir, here, s.File)
	case *s.Live == at:
		return walPlace{Path: at}, nil
	case !path.IsAbs(*s.Live):
		return walPlace{}, fmt.Errorf("%q is no place", *s.Live)
	}
	to := walPlace{Path: *s.Live, Link: *s.Live}
	if s.File != nil && s.File.Text != nil && *s.File.Text != "" {
		to.Link = *s.File.Text // as somebody had written it, such as a relative one
	} else if here.Path == to.Path && here.Link != "" {
		to.Link = here.Link
	}
	return to, nil
}
