package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// fromFile says whether the argument is a plan file: a regular file that begins
// as JSON does. Evidence files begin with their format's name.
func (o *applyOptions) fromFile() bool {
	st, err := os.Stat(o.plan.target)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(o.plan.target)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	return !bytes.HasPrefix(head[:n], []byte("pgfettle evidence"))
}

// planned makes the plan, or reads it from its file, and looks at the host that
// it is for.
func (o *applyOptions) planned(ctx context.Context, env *Env) (*plan.Plan, *loaded, error) {
	ro, err := o.plan.rules()
	if err != nil {
		return nil, nil, err
	}
	if _, err := o.place.files(env); err != nil {
		return nil, nil, err
	}
	switch {
	case o.fromFile():
		if len(o.planSaid) > 0 {
			return nil, nil, usage(strings.Join(o.planSaid, ", ")+": a plan file is made already", "give them to 'pgfettle plan --format json'")
		}
		p, l, err := o.readPlan(ctx, env)
		if err == nil {
			err = o.plan.keeps(p, o.plan.target)
		}
		return p, l, err
	case o.plan.describing && o.plan.target != "":
		return nil, nil, usage("--for describes a host; a TARGET names one", "leave one of them out")
	case o.plan.describing && o.place.root == "":
		return nil, nil, usage("--for describes a host that is not here, and this one is", "leave it out, or name an image of that host with --root DIR")
	case o.place.root != "" && !o.plan.describing:
		return nil, nil, usage("--root: what to plan for is not known: a tree of files has no memory and no processors", "describe the host with --for, or give a PLANFILE")
	}
	var l *loaded
	if o.plan.describing {
		l, err = describe(env, o.plan.describe)
	} else {
		if file, err := env.host().EvidenceFile(o.plan.target); err != nil {
			return nil, nil, err
		} else if file != "" {
			return nil, nil, usage(fmt.Sprintf("%q holds evidence, and nothing can be applied to a file", file), "name the host itself, or a plan file made of it with 'pgfettle plan --format json'")
		}
		l, err = load(ctx, env, o.plan.target, o.plan.deep)
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := l.Plan(ctx, ro)
	return p, l, err
}

// readPlan reads a plan file and looks at what it is about.
func (o *applyOptions) readPlan(ctx context.Context, env *Env) (*plan.Plan, *loaded, error) {
	name := o.plan.target
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("plan file: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, plan.MaxFile+1))
	if err != nil {
		return nil, nil, fmt.Errorf("plan file %q: %w", name, err)
	}
	p, about, err := plan.Decode(b)
	if err != nil {
		return nil, nil, &say.Problem{Message: fmt.Sprintf("plan file %q: %v", name, err), Hint: "'pgfettle plan --format json > FILE' writes such a file", Code: exitError}
	}
	var l *loaded
	switch {
	case o.place.root != "":
		l = inTree(about)
	case len(about) == 1 && filepath.IsAbs(about[0]):
		if _, err := os.Stat(about[0]); errors.Is(err, fs.ErrNotExist) {
			return nil, nil, elsewhere(name, fmt.Errorf("the instance %s is not here", about[0]))
		}
		l, err = load(ctx, env, about[0], o.plan.deep)
	default:
		l, err = load(ctx, env, "", o.plan.deep)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := p.Bind(l.Snapshot); err != nil {
		return nil, nil, elsewhere(name, err)
	}
	return p, l, nil
}

func elsewhere(name string, err error) error {
	return &say.Problem{Message: fmt.Sprintf("plan file %q: %v", name, err), Hint: "it was made for another host, or before the instance went; plan again here", Code: exitStale}
}

// fresh refuses a plan from a file that does not hold any more. One whose
// snapshot has the same hash does; else it is made again with what was asked
// for then, and what will be done must come out the same.
func (o *applyOptions) fresh(ctx context.Context, env *Env, p *plan.Plan, l *loaded, chosen []plan.Change) error {
	if o.place.root != "" || snapshot.Hash(l.Snapshot) == p.Snapshot {
		return nil
	}
	again, err := l.PlanBy(ctx, p.Options())
	if err != nil {
		return errors.Join(errors.New("plan made again"), err)
	}
	part := *p
	part.Changes = chosen
	return selection.Moved(&part, perUnit(again, l.Snapshot))
}
