package applying

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// ReadPlan reads a plan file and looks at what it is about, by a policy: its own owners
// count; nil: those of this site.
func (p *Place) ReadPlan(ctx context.Context, name string, deep bool, pol *policy.Policy) (*plan.Plan,
	*app.Session, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, say.Err("plan file: {error}", "error", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, plan.MaxFile+1))
	if err != nil {
		return nil, nil, say.Err("plan file {name}: {error}", "name", say.Quoted(name), "error", err)
	}
	made, about, err := plan.Decode(b)
	if errors.Is(err, plan.ErrNewCluster) {
		return nil, nil, &say.Problem{Message: say.M("plan file {name}: {error}", "name", say.Quoted(name), "error",
			err), Hint: say.M("Include the output of pgfettle plan --upgrade-to N --format conf in the " +
			"postgresql.conf of the new cluster."), Code: say.CodeRefused}
	}
	if err != nil {
		return nil, nil, &say.Problem{Message: say.M("plan file {name}: {error}", "name", say.Quoted(name), "error",
			err),
			Hint: say.M("Create a plan file: pgfettle plan --format json > FILE"), Code: say.CodeError}
	}
	var l *app.Session
	switch {
	case p.Root != "":
		l = inTree(about)
	case len(about) == 1 && filepath.IsAbs(about[0]):
		if _, err := os.Stat(about[0]); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, elsewhere(name, say.Err("instance {instance} does not exist on this host",
				"instance", about[0]))
		}
		l, err = p.Host.Open(ctx, app.Request{Target: about[0], Deep: deep, Policy: pol})
	default:
		l, err = p.Host.Open(ctx, app.Request{Target: "", Deep: deep, Policy: pol})
	}
	if err != nil {
		return nil, nil, err
	}
	if err := made.Bind(l.Snapshot); err != nil {
		return nil, nil, elsewhere(name, err)
	}
	return made, l, nil
}

func elsewhere(name string, err error) error {
	return &say.Problem{Message: say.M("plan file {name}: {error}", "name", say.Quoted(name), "error", err),
		Hint: say.M("Make the plan again on this host: the file is for another host, or the instance was removed."),
		Code: say.CodeStale}
}

// fresh refuses a plan from a file that does not hold any more. One whose
// snapshot has the same hash does; else it is made again with what was asked
// for then, and what will be done must come out the same.
func (p *Place) fresh(ctx context.Context, made *plan.Plan, l *app.Session, chosen []plan.Change) error {
	if p.Root != "" || snapshot.Hash(l.Snapshot) == made.Snapshot {
		return nil
	}
	again, err := l.PlanBy(ctx, made.Options())
	if err != nil {
		return errors.Join(say.Err("could not make the plan again"), err)
	}
	part := *made
	part.Changes = chosen
	return selection.Moved(&part, PerUnit(again, l.Snapshot))
}
