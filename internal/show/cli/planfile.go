package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
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
	if _, err := o.place.place(env).Files(); err != nil {
		return nil, nil, err
	}
	switch {
	case o.fromFile():
		if len(o.planSaid) > 0 {
			return nil, nil, say.Usage(strings.Join(o.planSaid, ", ")+": a plan file is made already",
				"give them to 'pgfettle plan --format json'")
		}
		p, l, err := o.place.place(env).ReadPlan(ctx, o.plan.target, o.plan.deep, env.site)
		if err == nil {
			err = o.plan.keeps(p, o.plan.target)
		}
		return p, l, err
	case o.plan.describing && o.plan.target != "":
		return nil, nil, say.Usage("--for describes a host; a TARGET names one", "leave one of them out")
	case o.plan.describing && o.place.root == "":
		return nil, nil, say.Usage("--for describes a host that is not here, and this one is",
			"leave it out, or name an image of that host with --root DIR")
	case o.place.root != "" && !o.plan.describing:
		return nil, nil,
			say.Usage("--root: what to plan for is not known: a tree of files has no memory and no processors",
				"describe the host with --for, or give a PLANFILE")
	}
	var l *loaded
	if o.plan.describing {
		l, err = describe(env, o.plan.describe)
	} else {
		if file, err := env.host().EvidenceFile(o.plan.target); err != nil {
			return nil, nil, err
		} else if file != "" {
			return nil, nil, say.Usage(fmt.Sprintf("%q holds evidence, and nothing can be applied to a file", file),
				"name the host itself, or a plan file made of it with 'pgfettle plan --format json'")
		}
		l, err = load(ctx, env, o.plan.target, o.plan.deep)
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := l.Plan(ctx, ro)
	return p, l, err
}
