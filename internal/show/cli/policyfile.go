package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// policyOptions say which policy holds.
type policyOptions struct {
	file string // --policy
	none bool   // --no-policy
}

const policyHelp = `The policy of this site (pins, accepted findings, profile, limits) is read from
` + app.PolicyPlace + ` if it exists. It does not apply to other hosts (--for,
--root, an evidence file). See pgfettle policy --help.
`

func (o *policyOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.file, "policy", "", "`FILE` policy file (default "+app.PolicyPlace+" if present)")
	f.BoolVar(&o.none, "no-policy", false, "ignore the policy file")
}

// choice says which policy the flags mean.
func (o *policyOptions) choice() app.PolicyChoice {
	return app.PolicyChoice{File: o.file, None: o.none}
}

// load reads the policy in effect: an empty one if there is none. site reports whether the one of this host may be
// meant.
func (o *policyOptions) load(env *Env, site bool) (*policy.Policy, error) {
	p, err := env.host().Policy(o.choice(), site)
	if err == nil {
		env.site = p
	}
	return p, err
}

// keeps refuses a plan from a file that was made without the pins of the policy.
func (o *planOptions) keeps(p *plan.Plan, name string) error {
	have := p.Options().Pins
	for _, pin := range o.site.Pins {
		crossed := slices.ContainsFunc(p.Changes, func(c plan.Change) bool { return pin.Address.Covers(c.Address) })
		if v, ok := have[pin.Address]; crossed && (!ok || v != pin.Value) {
			return &say.Problem{Message: say.M("plan file {name} changes {address}, which is pinned to {value} in "+
				"{file}:{line}", "name", say.Quoted(name), "address", string(pin.Address), "value", pin.Value, "file",
				o.site.File, "line", fmt.Sprint(pin.Line)),
				Hint: say.M("Make the plan again, or ignore the policy with --no-policy."), Code: exitRefused}
		}
	}
	return nil
}

// bounded holds --max-effect to the policy's limit: what was not said is lowered
// to it, what was is refused.
func (o *applyOptions) bounded() error {
	limit := o.plan.site.Limits.MaxEffect
	if limit == nil {
		return nil
	}
	e, err := maxEffect(o.maxEffect)
	if err != nil || e <= *limit {
		return err
	}
	if o.effectSaid {
		return &say.Problem{Message: say.M("--max-effect {value} exceeds the limit in {file}: {limit}", "value", e,
			"file", o.plan.site.File, "limit", *limit),
			Hint: say.M("Change limits.max_effect in that file, or ignore the policy with --no-policy."),
			Code: exitRefused}
	}
	o.maxEffect = limit.String()
	return nil
}
