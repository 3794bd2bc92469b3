package applying

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// UndoRequest says which apply to undo, and how far.
type UndoRequest struct {
	Place     *Place
	Restart   Restart
	ID        string // of a journal; "": the last apply that was not undone
	MaxEffect knob.Effect
	Wait      bool
	Forget    string // the data directory of an instance that is gone; "": none

	// Consent shows what will be undone and asks for confirmation; an error ends the undo before anything is changed.
	// Nil: nothing is asked.
	Consent func(ctx context.Context, j *journal.Journal, back []journal.Change) error
}

// Undo takes an apply back. The journal is there with an error too; it is nil if nothing was begun.
func Undo(ctx context.Context, r UndoRequest) (*journal.Journal, error) {
	if r.Forget != "" {
		r.Forget = filepath.Clean(r.Forget)
	}
	// One that is undone, except for a restart that may be made now, is not finished.
	w, l, id, err := r.Place.worldOf(ctx, r.Restart, r.ID, r.Forget, func(j *journal.Journal) bool {
		switch {
		case r.Forget != "":
			return !j.Undone() && slices.Contains(Labels(j), r.Forget)
		case j.Foreign != "":
			return false
		}
		return !j.Undone() || slices.ContainsFunc(j.Pending, func(p journal.Pending) bool {
			return p.Instance != "" && p.Effect <= r.MaxEffect
		})
	})
	if err != nil {
		return nil, err
	}
	if err := r.ask(ctx, id); err != nil {
		return nil, err
	}
	if err := r.Place.keepUsed(ctx, w, id); err != nil {
		return nil, err
	}
	res, err := apply.Undo(ctx, w, l.Snapshot, id, apply.UndoOptions{MaxEffect: r.MaxEffect, Wait: r.Wait,
		Forget: r.Forget})
	return res.Journal, err
}

// ask asks for confirmation of what will be undone. If nothing will be, the undo itself says why.
func (r *UndoRequest) ask(ctx context.Context, id string) error {
	if id == "" || r.Consent == nil {
		return nil
	}
	j, err := r.Place.Journal(id)
	if err != nil {
		return err
	}
	var back []journal.Change
	for i := range j.Changes {
		if c := &j.Changes[i]; c.Begun() && (r.Forget == "" || c.Instance != r.Forget) {
			back = append(back, *c)
		}
	}
	if len(back) == 0 {
		return nil
	}
	return r.Consent(ctx, j, back)
}

// worldOf builds the world of a journal: the one named, or the last of this host that is meant, whose id it returns; ""
// if there is none. gone is the label of an instance that is not looked for.
func (p *Place) worldOf(ctx context.Context, restart Restart, id, gone string,
	is func(*journal.Journal) bool) (*apply.System, *app.Session, string, error) {
	t, dir, err := p.open()
	if err != nil {
		return nil, nil, "", err
	}
	var j *journal.Journal
	if id != "" {
		if j, err = findJournal(t, dir, id); err != nil {
			return nil, nil, "", err
		}
	} else {
		list, err := journalfile.List(t, dir)
		for _, one := range list {
			if (one.Run.ID == "" || one.Run.Of(p.Host.Hostname(), p.Root)) && is(one) {
				j, id = one, one.ID
			}
		}
		if err := closed(err, dir); err != nil && j == nil {
			return nil, nil, "", err
		}
	}
	l, err := p.loadJournalled(ctx, j, gone)
	if err != nil {
		return nil, nil, "", err
	}
	w, _, err := p.world(l, restart)
	return w, l, id, err
}
