package applying

import (
	"context"
	"errors"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/wal"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
)

// MoveWALRequest says which WAL is moved where.
type MoveWALRequest struct {
	Place   *Place
	Restart Restart
	Dir     string
	Target  string
	Fit     walmove.Options
	DryRun  bool // show alone
	Wait    bool

	Show    func(*walmove.Plan) error   // shows what will be done
	Consent func(context.Context) error // asks for it; an error ends the move
}

// MovedWAL is how a move of the WAL ended.
type MovedWAL struct {
	Instance string
	Plan     *walmove.Plan // Plan.Here: the WAL is there already, and nothing was done
	Journal  *journal.Journal
}

// MoveWAL moves the WAL of an instance to another filesystem. The result is there with an
// error too, as far as it got.
func MoveWAL(ctx context.Context, r MoveWALRequest) (MovedWAL, error) {
	var m MovedWAL
	l, err := r.Place.Host.Open(ctx, app.Request{Target: r.Target})
	if err != nil {
		return m, err
	}
	if l.Collected == nil {
		return m, say.Usage(say.M("cannot move the WAL of an evidence file"), say.M("Name the data directory of an "+
			"instance on this host."))
	}
	in, err := onlyInstance(l.Snapshot)
	if err != nil {
		return m, err
	}
	w, server, err := r.Place.world(l, r.Restart)
	if err != nil {
		return m, err
	}
	defer server.Close()
	w.Verify = nil // no setting is changed
	kind := w.Kinds["wal"].(*wal.Kind)
	kind.Interrupt = ctx
	m.Instance = in.Label()
	if m.Plan, err = kind.Fit(ctx, in, r.Dir, r.Fit); err != nil || m.Plan.Here {
		return m, err
	}
	fit := m.Plan
	if err := r.Show(fit); err != nil || r.DryRun {
		return m, err
	}
	if err := r.Consent(ctx); err != nil {
		return m, err
	}
	kind.New = fit
	p := &plan.Plan{Snapshot: snapshot.Hash(l.Snapshot),
		Changes: []plan.Change{{Address: journal.WalLocation, Instance: in.Label(), Key: in.Key,
			Layer: knob.Instance, From: fit.From, FromBase: fit.From, To: fit.To, ToBase: fit.To, Effect: knob.Now}}}
	res, err := apply.Run(ctx, w, p, l.Snapshot, selection.Options{MaxEffect: knob.Restart, Wait: r.Wait})
	m.Journal = res.Journal
	return m, stays(err, res.Journal)
}

// stays words the error of a move that was undone.
func stays(err error, j *journal.Journal) error {
	var no *say.Problem
	if j == nil || !errors.As(err, &no) || no.Code != say.CodePartly {
		return err
	}
	for i := range j.Changes {
		if c := &j.Changes[i]; c.State == journal.IsFailed {
			return &say.Problem{Message: say.M("the WAL was not moved: the previous state was restored"),
				Detail: say.Text(c.Reason),
				Hint:   say.M("Fix the cause, then run the command again."), Code: say.CodePartly}
		}
	}
	return err
}

// onlyInstance is the instance that is meant if there is one.
func onlyInstance(s *snapshot.Snapshot) (*snapshot.Instance, error) {
	if !s.HostSeen {
		return nil, &say.Problem{Message: say.M("cannot move the WAL of a remote server"),
			Hint: say.M("Run pgfettle on its host."), Code: say.CodeNoAccess}
	}
	return oneInstance(s)
}

// oneInstance is the only instance of a snapshot.
func oneInstance(s *snapshot.Snapshot) (*snapshot.Instance, error) {
	switch len(s.Instances) {
	case 0:
		return nil, say.Usage(say.M("no instance is running on this host"), say.M("Name its data directory."))
	case 1:
		return &s.Instances[0], nil
	}
	var names []string
	for i := range s.Instances {
		names = append(names, s.Instances[i].Label())
	}
	return nil, say.Usage(say.M("{n} instances are running on this host: {names}", "n", len(names), "names",
		say.Names(names, 0)), say.M("Name the data directory of one of them."))
}
