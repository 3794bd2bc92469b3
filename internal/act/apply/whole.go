package apply

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// Reverted is the error of Whole where a change failed: why, and why not all could be undone then, or nil.
type Reverted struct{ Why, Left error }

func (r *Reverted) Error() string { return r.Why.Error() }

func (r *Reverted) Unwrap() []error { return []error{r.Why, r.Left} }

// Whole is Run of changes that make one thing: where one fails, all are undone, and the error is a *Reverted. The locks
// are held until then. An apply that waits for them would otherwise come between, and the undo would find them taken.
func Whole(ctx context.Context, w *System, p *plan.Plan, s *snapshot.Snapshot, o selection.Options) (Result, error) {
	return w.run(ctx, p, s, o, (*operation).whole)
}

func (e *operation) whole(ctx context.Context) error {
	why := e.forward(ctx)
	if why == nil || ctx.Err() != nil {
		return why
	}
	inner, o := context.WithoutCancel(ctx), UndoOptions{MaxEffect: knob.Restart}
	err := e.open(e.log.ID, false) // what could not be written is not in it
	if err == nil {
		err = e.covered(nil)
	}
	if err == nil {
		err = e.undo(inner, o)
	}
	return &Reverted{Why: why, Left: err}
}
