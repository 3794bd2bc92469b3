package applying

import (
	"context"
	"errors"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// CreateRequest is an instance that is to be made as it was planned.
type CreateRequest struct {
	Place   *Place
	Session *app.Session
	Plan    *creation.Plan
	Wait    bool
}

// Create makes an instance: the changes of the host first, then its steps. Where a step fails, everything that was made
// is taken back: there is nothing, or all of it. The journal is there with an error too; it is nil if nothing was
// begun.
func Create(ctx context.Context, r CreateRequest) (*journal.Journal, error) {
	w, server, err := r.Place.world(r.Session, Restart{})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	w.Verify = nil // the plan was tried with the program already
	p := &plan.Plan{Snapshot: snapshot.Hash(r.Session.Snapshot), Changes: changes(r.Plan)}
	res, err := apply.Run(ctx, w, p, r.Session.Snapshot, selection.Options{MaxEffect: knob.Reboot, Wait: r.Wait,
		AcceptRisk: accepted(p)})
	if err == nil || res.Journal == nil || ctx.Err() != nil {
		return res.Journal, err
	}
	return r.takeBack(ctx, w, res.Journal, err)
}

// takeBack undoes a creation of which a step has failed.
func (r *CreateRequest) takeBack(ctx context.Context, w *apply.System, j *journal.Journal, why error) (*journal.Journal,
	error) {
	reason := why.Error()
	for i := range j.Changes {
		if c := &j.Changes[i]; c.State == journal.IsFailed {
			reason = string(c.Address) + ": " + c.Reason
			break
		}
	}
	res, err := apply.Undo(context.WithoutCancel(ctx), w, r.Session.Snapshot, j.ID,
		apply.UndoOptions{MaxEffect: knob.Restart})
	if err != nil {
		return res.Journal, &say.Problem{Message: say.M("the instance was not created, and not everything was taken " +
			"back"),
			Detail: say.Text(reason + "; " + undoReason(err)), Hint: say.M("when the cause is gone, 'pgfettle undo "+
				"{id}' "+
				"tries again", "id", j.ID), Code: say.CodePartly}
	}
	return res.Journal, &say.Problem{Message: say.M("the instance was not created: everything was reverted"),
		Detail: say.Text(reason), Hint: say.M("Fix the cause, then run the command again."), Code: say.CodePartly}
}

// undoReason is why an undo did not come to its end.
func undoReason(err error) string {
	if p, ok := errors.AsType[*say.Problem](err); ok && !p.Detail.IsZero() {
		return p.Detail.String()
	}
	return err.Error()
}

// changes are the steps as the engine takes them.
func changes(p *creation.Plan) []plan.Change {
	out := append([]plan.Change{}, p.Host...)
	for _, s := range p.Steps {
		out = append(out, plan.Change{Address: s.Address, Layer: knob.Creation, From: newcluster.Absent,
			FromBase: newcluster.Absent, To: s.To, ToBase: s.To, Effect: knob.Now, Risk: knob.Low})
	}
	return out
}

// accepted are the changes of the host: those of high risk are among them only if they were accepted by name.
func accepted(p *plan.Plan) (out []selection.Which) {
	for i := range p.Changes {
		out = append(out, selection.WhichOf(&p.Changes[i]))
	}
	return out
}
