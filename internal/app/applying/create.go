package applying

import (
	"context"
	"errors"
	"slices"

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
	res, err := apply.Whole(ctx, w, p, r.Session.Snapshot, selection.Options{MaxEffect: knob.Reboot, Wait: r.Wait,
		AcceptRisk: accepted(p)})
	if back, ok := errors.AsType[*apply.Reverted](err); ok {
		err = reverted(res.Journal.ID, back)
	}
	return res.Journal, err
}

// reverted is what is reported of a creation of which a step has failed.
func reverted(id string, back *apply.Reverted) error {
	reason := reasonOf(back.Why)
	if back.Left != nil {
		return &say.Problem{Message: say.M("the instance was not created, and not everything was taken " +
			"back"),
			Detail: say.Text(reason + "; " + reasonOf(back.Left)), Hint: say.M("when the cause is gone, 'pgfettle "+
				"undo {id}' "+
				"tries again", "id", id), Code: say.CodePartly}
	}
	return &say.Problem{Message: say.M("the instance was not created: everything was reverted"),
		Detail: say.Text(reason), Hint: say.M("Fix the cause, then run the command again."), Code: say.CodePartly}
}

// reasonOf is why an apply or an undo did not come to its end.
func reasonOf(err error) string {
	if p, ok := errors.AsType[*say.Problem](err); ok && !p.Detail.IsZero() {
		return p.Detail.String()
	}
	return err.Error()
}

// changes are the steps as the engine takes them.
func changes(p *creation.Plan) []plan.Change {
	first, rest := p.Split()
	return slices.Concat(stepped(first), p.Host, stepped(rest))
}

func stepped(steps []creation.Step) (out []plan.Change) {
	for _, s := range steps {
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
