package wal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/movewal"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
)

var (
	_ apply.Kind    = (*Kind)(nil)
	_ apply.Guard   = (*Kind)(nil)
	_ apply.Partial = (*Kind)(nil)
	_ apply.Stopper = (*Kind)(nil)
)

// unfinished ends the Live value while a move is under way.
const unfinished = " (a move that was not finished)"

// Look implements Kind.
func (w *Kind) Look(_ context.Context, k apply.Knob) (journal.State, error) {
	var s journal.State
	dir, err := w.DataDir(k.Instance)
	if err != nil {
		return s, err
	}
	here, err := w.Place(dir)
	if err != nil {
		return s, err
	}
	begun, _, err := w.Unfinished(dir)
	if err != nil {
		return s, err
	}
	in, err := w.Target.Stat(dir)
	if err != nil {
		return s, err
	}
	live := here.Path
	if begun {
		live += unfinished
	}
	s.Live = &live
	s.File = &journal.File{Path: path.Join(dir, movewal.Name), Text: &here.Link, UID: in.UID, GID: in.GID}
	if k.To != "" {
		// not of New: a resume has none, and its undo is to leave no directory behind
		if _, err := w.Target.Stat(k.To); errors.Is(err, fs.ErrNotExist) {
			s.File.Missing = k.To
		}
	}
	return s, nil
}

// Want implements Kind.
func (w *Kind) Want(now journal.State, _ apply.Knob, value string) (journal.State, error) {
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
func (w *Kind) Ours(found, after journal.State, _ apply.Knob) bool { return found.SameFile(after) }

// Without implements Kind.
func (w *Kind) Without(_, before journal.State, _ apply.Knob) (journal.State, error) {
	return before, nil
}

// Halfway implements Partial.
func (w *Kind) Halfway(found, was, will journal.State, _ apply.Knob) bool {
	if found.Live == nil || was.Live == nil || will.Live == nil {
		return false
	}
	at, cut := strings.CutSuffix(*found.Live, unfinished)
	return cut && (at == *was.Live || at == *will.Live)
}

// Stops implements Stopper.
func (w *Kind) Stops(k apply.Knob) bool {
	if up, err := w.Server.Runs(k.Instance); err != nil || up {
		return true // of what cannot be seen, the worse
	}
	dir, err := w.DataDir(k.Instance)
	if err != nil {
		return false
	}
	_, running, err := w.Unfinished(dir)
	return err == nil && running
}

// Allowed implements Guard: what was found fit when a person was shown it has to
// be so still.
func (w *Kind) Allowed(ctx context.Context, k apply.Knob) error {
	if w.New == nil {
		return nil
	}
	again, err := w.Fit(ctx, k.Instance, w.New.Asked, w.New.Options)
	switch {
	case err != nil:
		return err
	case again.Here:
		return selection.Stale(say.M("pg_wal is in {to} already", "to", again.To))
	}
	return nil
}

// MayWrite implements Scribe. Its File is a link and no file that is replaced, and Allowed has checked what is written.
func (w *Kind) MayWrite(context.Context, apply.Knob, journal.File) error { return nil }

// Set implements Kind. It goes forward or back from wherever a crash has left a move. A failed one is undone
// automatically, so that the server is as it was before.
func (w *Kind) Set(ctx context.Context, k apply.Knob, s journal.State) error {
	dir, err := w.DataDir(k.Instance)
	if err != nil {
		return err
	}
	here, err := w.Place(dir)
	if err != nil {
		return err
	}
	to, err := w.wanted(dir, here, s)
	if err != nil {
		return err
	}
	made := s.File != nil && s.File.Missing == here.Path
	return w.Bring(ctx, k.Instance, dir, here, to, made)
}

// linkedPlace is the place that pg_wal alone points to: a step that was interrupted before it began has nothing else to
// undo.
func linkedPlace(dir string, here movewal.Place, f *journal.File) (movewal.Place, error) {
	switch {
	case f.Text == nil:
		return movewal.Place{}, say.Named(f.Path, say.Err("where it is to lead is not known"))
	case *f.Text == here.Link:
		return here, nil
	case *f.Text == "":
		return movewal.Place{Path: path.Join(dir, movewal.Name)}, nil
	case path.IsAbs(*f.Text):
		return movewal.Place{Path: *f.Text, Link: *f.Text}, nil
	}
	return movewal.Place{Path: path.Join(dir, *f.Text), Link: *f.Text}, nil
}

// wanted is the place that a state names. A part that is nil is as it is.
func (w *Kind) wanted(dir string, here movewal.Place, s journal.State) (movewal.Place, error) {
	at := path.Join(dir, movewal.Name)
	switch {
	case s.Live == nil && s.File == nil:
		return here, nil
	case s.Live == nil:
		return linkedPlace(dir, here, s.File)
	case *s.Live == at:
		return movewal.Place{Path: at}, nil
	case !path.IsAbs(*s.Live):
		return movewal.Place{}, fmt.Errorf("%q is no place", *s.Live)
	}
	to := movewal.Place{Path: *s.Live, Link: *s.Live}
	if s.File != nil && s.File.Text != nil && *s.File.Text != "" {
		to.Link = *s.File.Text // as it was written, possibly relative
	} else if here.Path == to.Path && here.Link != "" {
		to.Link = here.Link
	}
	return to, nil
}

// Kind is the kind of that knob. Its Live value is the directory itself. Its File is the name pg_wal in the data
// directory: Text is what the symbolic link says, and empty if pg_wal is the directory. File.Missing of what was before
// is the directory that was made for the new place, and that goes when it is left.
//
// To set it stops the server, copies, switches and starts the server again, so
// its effect is now; a move that was cut short shows in the Live value.
type Kind struct {
	*movewal.Mover
	// New is the move that is asked for; nil for undo, resume and status.
	New *walmove.Plan
}
