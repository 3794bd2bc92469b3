package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// PlanOptions are what a plan is made with: what a person asks for and what the policy
// adds to it. PlanWith makes them.
type PlanOptions struct {
	options rule.Options
	policy  *policy.Policy
	asked   []knob.Address // pinned by a person; the other pins are the policy's
}

// PlanAsk is what a person asks of a plan; the zero value asks for nothing special.
type PlanAsk struct {
	Profile     string // "": the policy's, else mixed
	Connections int    // 0: as many as there are
	Active      int    // sessions at work at once; 0: from the profile and the CPUs
	Storage     string // "": what the disk says
	Shared      bool   // the host is not for PostgreSQL alone
}

// With joins what a person asks for, and the values that they pin, with a policy.
func (a PlanAsk) With(p *policy.Policy, pins map[knob.Address]string) (PlanOptions, error) {
	o := rule.Options{Profile: rule.Mixed, Connections: a.Connections, Active: a.Active, Shared: a.Shared, Pins: pins}
	var err error
	if a.Profile != "" {
		if o.Profile, err = rule.ParseProfile(a.Profile); err != nil {
			return PlanOptions{}, say.Usage(say.M("--profile: {error}", "error", err),
				say.M("For a host with short transactions and reports, use mixed."))
		}
	}
	if a.Storage != "" {
		if o.Storage, err = rule.ParseStorage(a.Storage); err != nil {
			return PlanOptions{}, say.Usage(say.M("--storage: {error}", "error", err), say.M("Omit --storage to "+
				"detect the type."))
		}
	}
	return PlanWith(p, o, a.Profile != "")
}

// PlanWith joins what a person asks for with a policy. profileSaid says that o.Profile
// is a person's choice, which the policy does not replace. o.Pins are a person's; an
// error is one that the policy pins to another value.
func PlanWith(p *policy.Policy, o rule.Options, profileSaid bool) (PlanOptions, error) {
	out := PlanOptions{options: o, policy: p, asked: slices.Collect(maps.Keys(o.Pins))}
	out.options.Pins = maps.Clone(o.Pins)
	if out.options.Pins == nil {
		out.options.Pins = map[knob.Address]string{}
	}
	if p.Profile != "" && !profileSaid {
		out.options.Profile = p.Profile
	}
	for _, pin := range p.Pins {
		for a, value := range out.options.Pins {
			if at, _ := p.Pin(a); at == pin && value != pin.Value {
				return out, say.Usage(say.M("--pin: {value} is pinned to {value2} in {file}:{line}", "value", string(a),
					"value2", pin.Value, "file", p.File, "line", fmt.Sprint(pin.Line)),
					say.M("Change the pin in that file, or ignore the policy with --no-policy."))
			}
		}
		out.options.Pins[pin.Address] = pin.Value
	}
	for _, a := range p.Accepted() {
		out.options.Accepted = append(out.options.Accepted, rule.Accepted{ID: a.ID, Instance: a.Instance,
			Reason: a.Reason, Expires: a.Expires})
	}
	return out, nil
}

// Profile is the one that was asked for, or that of the policy.
func (o PlanOptions) Profile() rule.Profile { return o.options.Profile }

// On returns the options for the rules on a snapshot: without the policy's pins of what does not exist, a server or a
// device. A policy may be for more hosts than one.
func (o PlanOptions) On(s *snapshot.Snapshot) rule.Options {
	out := o.options
	out.Pins = maps.Clone(out.Pins)
	for _, p := range o.policy.Pins {
		if !rules.Here(s, p.Address) && !slices.Contains(o.asked, p.Address) {
			delete(out.Pins, p.Address)
		}
	}
	return out
}

// ByPolicy is the plan's options from the policy alone: unless more is specified, check, diagnosis, and watch use the
// numbers of this one.
func (h *Host) ByPolicy(p *policy.Policy) rule.Options {
	o, err := PlanWith(p, rule.Options{Profile: rule.Mixed}, false)
	if err != nil { // nothing was said that a policy could contradict
		return rule.Options{Profile: rule.Mixed}
	}
	o.options.Accepted = unexpired(o.options.Accepted, h.Today())
	return o.options
}

// Plan plans for what was examined. If it was collected live, the installed server programs are asked how much shared
// memory the plan needs; their answers join the evidence, and the snapshot is read again.
func (s *Session) Plan(ctx context.Context, o PlanOptions) (*plan.Plan, error) {
	p, err := s.PlanBy(ctx, o.On(s.Snapshot))
	if err != nil {
		return nil, pinProblem(o.policy, err)
	}
	nameThePins(p, o.policy)
	return p, nil
}

// nameThePins says which line of the policy pins a value.
func nameThePins(p *plan.Plan, by *policy.Policy) {
	for i := range p.Changes {
		c := &p.Changes[i]
		if pin, ours := by.Pin(c.Address); ours && c.Pinned {
			c.Reason = PinnedBy(by, pin)
		}
	}
}

// PlanBy is Plan with the options of the rules as they are, without a policy.
func (s *Session) PlanBy(ctx context.Context, o rule.Options) (*plan.Plan, error) {
	today := s.Host.Today()
	o.Accepted = unexpired(o.Accepted, today)
	var live target.Target // none: the answers in the evidence have to do
	if s.Collected != nil {
		live = s.Host.Target
	}
	p, seen, err := planner.Make(ctx, live, s.Evidence, o)
	if err != nil {
		return nil, err
	}
	s.Snapshot = seen
	p.Warnings = append(p.Warnings, plan.Overrides(p, s.Snapshot)...)
	p.Left = plan.Leaves(s.Snapshot, p, checks.All(), check.Options{Accept: acceptances(o.Accepted), Today: today})
	return p, nil
}

// pinProblem names the line of the policy that a server does not take.
func pinProblem(p *policy.Policy, err error) error {
	bad, ok := errors.AsType[*rule.PinError](err)
	if !ok {
		return err
	}
	pin, ours := p.Pin(bad.Address)
	if !ours {
		return err
	}
	return say.Usage(say.M("{file}:{line}: {error}", "file", p.File, "line", fmt.Sprint(pin.Line), "error", bad),
		say.M("Use a value that the server accepts, such as \"pg:work_mem\" = \"64MB\"."))
}

// PinnedBy is the reason of a value that the policy pins.
func PinnedBy(p *policy.Policy, pin policy.Pin) say.Message {
	return say.M("pinned in {file}:{line}", "file", p.File, "line", fmt.Sprint(pin.Line))
}

// unexpired omits the acceptances that have ended.
func unexpired(list []rule.Accepted, today string) []rule.Accepted {
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
