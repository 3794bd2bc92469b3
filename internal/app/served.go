package app

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// Served is a target that is asked again and again, as pages are asked for. The policy is reread for each answer.
type Served struct {
	Host   *Host
	Target string
	Deep   bool
	Policy PolicyChoice
}

// policy reads the policy as it is now.
func (v *Served) policy() (*policy.Policy, error) {
	return v.Host.Policy(v.Policy, v.Host.IsHere(v.Target))
}

// Look looks at the target.
func (v *Served) Look(ctx context.Context) (*Session, error) {
	p, err := v.policy()
	if err != nil {
		return nil, err
	}
	return v.Host.Open(ctx, Request{Target: v.Target, Deep: v.Deep, Policy: p})
}

// Check judges a look; file is that of the policy that was read, "" for none.
func (v *Served) Check(s *Session) (r check.Report, file string, err error) {
	p, err := v.policy()
	if err != nil {
		return check.Report{}, "", err
	}
	return s.Check(v.Host.CheckOptions(p)), p.File, nil
}

// Plan plans for a look. The session stays as it is.
func (v *Served) Plan(ctx context.Context, s *Session, a PlanAsk) (*plan.Plan, error) {
	p, err := v.policy()
	if err != nil {
		return nil, err
	}
	o, err := a.With(p, nil)
	if err != nil {
		return nil, err
	}
	mine := *s
	return mine.Plan(ctx, o)
}

// Memory looks at the memory as it is now.
func (v *Served) Memory(ctx context.Context) (*memory.Report, error) {
	p, err := v.policy()
	if err != nil {
		return nil, err
	}
	s, err := v.Host.Open(ctx, Request{Target: v.Target, Memory: true, Killable: true, Policy: p})
	if err != nil {
		return nil, err
	}
	return s.Memory(v.Host.ByPolicy(p)), nil
}

// PlanDescribed plans for a described host, and reads nothing else.
func PlanDescribed(ctx context.Context, spec string, a PlanAsk) (*plan.Plan, *snapshot.Snapshot, error) {
	archive, err := snapshot.Describe(spec)
	if err != nil {
		return nil, nil, say.Err("description: {error}", "error", err)
	}
	o, err := a.With(&policy.Policy{}, nil)
	if err != nil {
		return nil, nil, err
	}
	p, s, err := planner.Make(ctx, nil, archive, o.options)
	if err != nil {
		return nil, nil, err
	}
	p.Warnings = append(p.Warnings, plan.Overrides(p, s)...)
	return p, s, nil
}
