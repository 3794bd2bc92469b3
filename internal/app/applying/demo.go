package applying

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// DemoRequest is the part of the demo that applies a plan to a throwaway server and takes
// it back, and what a person sees of it.
type DemoRequest struct {
	Place      *Place // its journals are in a directory of the demo's own
	Server     *app.DemoServer
	Session    *app.Session
	Plan       *plan.Plan
	Disposable bool // the kernel of this machine may be touched too

	Chosen  func(*Choice) error                 // shows what will be made
	Applied func(*journal.Journal, error) error // shows how it ended; its error ends the demo
	Again   func(*app.Session) error            // shows the server as it is then
	Undone  func(*journal.Journal, error) error // shows how it was undone; as Applied
}

// Demo carries the plan out on the throwaway server, looks again, and takes all back. It
// returns the file of settings that is as it was, byte for byte; "": nothing was changed.
func Demo(ctx context.Context, r DemoRequest) (_ string, err error) {
	inst, l, h := r.Server, r.Session, r.Place.Host
	// A directory of our own: the server's belongs to its user, who could swap what is in it.
	dir, err := os.MkdirTemp("", "pgfettle-demo-")
	if err != nil {
		return "", say.Err("journal of the demo: {error}", "error", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	place := *r.Place
	place.Dir = filepath.Join(dir, "journal")
	w, server, err := place.demoWorld(inst, l)
	if err != nil {
		return "", err
	}
	part := *r.Plan
	if !r.Disposable {
		part.Changes = nil
		for _, c := range r.Plan.Changes {
			if c.Layer == knob.Instance {
				part.Changes = append(part.Changes, c)
			}
		}
	}
	auto := filepath.Join(inst.DataDir, "postgresql.auto.conf")
	was, err := h.Target.ReadFile(auto, plan.MaxFile)
	if err != nil {
		return "", say.Err("settings before: {error}", "error", err)
	}
	s := &Choice{Options: selection.Options{MaxEffect: knob.Restart}, Plan: PerUnit(&part, l.Snapshot),
		Snapshot: l.Snapshot}
	s.Choose()
	if err := r.Chosen(s); err != nil {
		return "", err
	}
	j, err := s.run(ctx, w, server, l)
	undone := false
	defer func() {
		// The server goes anyway; the kernel's part must not stay behind.
		if j != nil && !undone {
			_, e := apply.Undo(context.WithoutCancel(ctx), w, l.Snapshot,
				j.ID, apply.UndoOptions{MaxEffect: knob.Restart})
			err = errors.Join(err, e)
		}
	}()
	if err := r.Applied(j, err); err != nil {
		return "", err
	}
	if j == nil {
		return "", nil // nothing to change
	}
	again, err := h.OpenScratch(ctx, inst.DataDir)
	if err != nil {
		return "", err
	}
	if err := r.Again(again); err != nil {
		return "", err
	}
	undone = true
	res, err := apply.Undo(ctx, w, again.Snapshot, j.ID, apply.UndoOptions{MaxEffect: knob.Restart})
	if err := r.Undone(res.Journal, err); err != nil {
		return "", err
	}
	is, err := h.Target.ReadFile(auto, plan.MaxFile)
	if err != nil {
		return "", say.Err("settings after: {error}", "error", err)
	}
	if !bytes.Equal(was, is) {
		return "", say.Err("{file} differs from its contents before the apply", "file", auto)
	}
	return auto, nil
}

// demoWorld is the world of the throwaway server: we ourselves run it, so we
// restart it too.
func (p *Place) demoWorld(inst *app.DemoServer, l *app.Session) (*apply.System, *pgctl.Server, error) {
	w, server, err := p.world(l, Restart{})
	if err != nil {
		return nil, nil, err
	}
	reload := w.Activate
	w.Activate = func(ctx context.Context, key string, e knob.Effect) error {
		if e < knob.Restart {
			return reload(ctx, key, e)
		}
		if err := inst.Stop(); err != nil {
			return err
		}
		return inst.Start(ctx)
	}
	return w, server, nil
}
