package cli

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/settle"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
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
	o.Accepted = holding(o.Accepted, today(env))
	p, s, err := settle.Plan(ctx, live, l.archive, o)
	if err != nil {
		return nil, err
	}
	l.snapshot = s
	for _, w := range apply.OverridesOf(p, s) {
		p.Warnings = append(p.Warnings, say.Text(w))
	}
	p.Left = plan.Leaves(s, p, checks.All(), check.Options{Accept: acceptances(o.Accepted), Today: today(env)})
	return p, nil
}

// holding leaves out the acceptances that have ended.
func holding(list []rule.Accepted, today string) []rule.Accepted {
	var out []rule.Accepted
	for i, a := range acceptances(list) {
		if !a.Expired(today) {
			out = append(out, list[i])
		}
	}
	return out
}

func acceptances(list []rule.Accepted) []check.Acceptance {
	out := make([]check.Acceptance, 0, len(list))
	for _, a := range list {
		out = append(out, check.Acceptance{ID: a.ID, Instance: a.Instance, Reason: a.Reason, Expires: a.Expires})
	}
	return out
}
