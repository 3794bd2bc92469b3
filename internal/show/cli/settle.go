package cli

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/settle"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// makePlan plans for what was loaded. Where it was collected live, the
// installed binaries are asked how much shared memory the plan needs, and their
// answers join the evidence.
func makePlan(ctx context.Context, env *Env, l *loaded, o rule.Options) (*plan.Plan, error) {
	var live target.Target
	if l.request != nil {
		live = env.Target
	}
	p, s, err := settle.Plan(ctx, live, l.archive, o)
	if err != nil {
		return nil, err
	}
	l.snapshot = s
	p.Warnings = append(p.Warnings, apply.OverridesOf(p, s)...)
	return p, nil
}
