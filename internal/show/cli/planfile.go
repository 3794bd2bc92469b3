package cli

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// fromFile reports whether the argument is a plan file: a regular file that begins as JSON does. Evidence files begin
// with their format's name.
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
			return nil, nil, say.Usage(say.M("{planSaid} cannot be used with a plan file", "planSaid",
				say.Names(o.planSaid, 0)),
				say.M("Pass them to pgfettle plan --format json, which makes the file."))
		}
		p, l, err := o.place.place(env).ReadPlan(ctx, o.plan.target, o.plan.deep, env.site)
		if err == nil {
			err = o.plan.keeps(p, o.plan.target)
		}
		return p, l, err
	case o.plan.describing && o.plan.target != "":
		return nil, nil, say.Usage(say.M("--for cannot be used with a TARGET"), say.M("Use only one of them."))
	case o.plan.describing && o.place.root == "":
		return nil, nil, say.Usage(say.M("cannot apply to a host described with --for"),
			say.M("Omit --for to change this host, or name an image of the described host with --root DIR."))
	case o.place.root != "" && !o.plan.describing:
		return nil, nil,
			say.Usage(say.M("--root requires --for or a PLANFILE: memory and CPUs of the host are unknown"),
				say.M("Describe the host, such as --for 'ram=64GB,cpus=16,storage=nvme,pg=17'."))
	}
	var l *loaded
	if o.plan.describing {
		l, err = describe(env, o.plan.describe)
	} else {
		if file, err := env.host().EvidenceFile(o.plan.target); err != nil {
			return nil, nil, err
		} else if file != "" {
			return nil, nil, say.Usage(say.M("cannot apply to evidence file {file}", "file", say.Quoted(file)),
				say.M("Run pgfettle apply on the host itself, or make a plan file from the evidence: pgfettle plan "+
					"--format json {file}", "file", shell.Quote(file)))
		}
		l, err = load(ctx, env, o.plan.target, o.plan.deep)
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := l.Plan(ctx, ro)
	return p, l, err
}
