package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

var (
	_ Kind      = (*WalKind)(nil)
	_ Guard     = (*WalKind)(nil)
	_ Partial   = (*WalKind)(nil)
	_ Stopper   = (*WalKind)(nil)
	_ WalServer = (*PG)(nil)
)

// unfinished ends the Live value while a move is under way.
const unfinished = " (a move that was not finished)"

// Look implements Kind.
func (w *WalKind) Look(_ context.Context, k Knob) (journal.State, error) {
	var s journal.State
	dir, err := w.dir(k.Instance)
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
func (w *WalKind) Want(now journal.State, _ Knob, value string) (journal.State, error) {
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
func (w *WalKind) Ours(found, after journal.State, _ Knob) bool { return found.SameFile(after) }

// Without implements Kind.
func (w *WalKind) Without(_, before journal.State, _ Knob) (journal.State, error) { return before, nil }

// Halfway implements Partial.
func (w *WalKind) Halfway(found, was, will journal.State, _ Knob) bool {
	if found.Live == nil || was.Live == nil || will.Live == nil {
		return false
	}
	at, cut := strings.CutSuffix(*found.Live, unfinished)
	return cut && (at == *was.Live || at == *will.Live)
}

// Stops implements Stopper.
func (w *WalKind) Stops(k Knob) bool {
	if up, err := w.Server.Runs(k.Instance); err != nil || up {
		return true // of what cannot be seen, the worse
	}
	dir, err := w.dir(k.Instance)
	if err != nil {
		return false
	}
	n, err := w.note(dir)
	return err == nil && n != nil && n.Running
}

// Allowed implements Guard: what was found fit when a person was shown it has to
// be so still.
func (w *WalKind) Allowed(ctx context.Context, k Knob) error {
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
func (w *WalKind) MayWrite(context.Context, Knob, journal.File) error { return nil }

// Set implements Kind. It goes forward or back from wherever a crash has left a
// move. One that does not succeed is taken back by itself, so that the server is
// as it was before.
func (w *WalKind) Set(ctx context.Context, k Knob, s journal.State) error {
	dir, err := w.dir(k.Instance)
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
	made := s.File != nil && s.File.Missing == here.Path
	return w.bring(ctx, k.Instance, dir, here, to, made)
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
func (w *WalKind) wanted(dir string, here walPlace, s journal.State) (walPlace, error) {
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

// WalKind is the kind of that knob. Its Live value is the folder itself. Its File is
// the name pg_wal in the data directory: Text is what the symbolic link says, and
// empty where pg_wal is the folder. File.Missing of what was before is the
// folder that was made for the new place, and that goes when it is left.
//
// To set it stops the server, copies, switches and starts the server again, so
// its effect is now; a move that was cut short shows in the Live value.
type WalKind struct {
	*Wal
	// New is the move that is asked for; nil for undo, resume and status.
	New *WalFit
}
