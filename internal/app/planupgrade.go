package app

import (
	"context"
	"errors"
	"maps"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/serverprogram"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
)

// UpgradePlan is the plan for the new clusters of an upgrade.
type UpgradePlan struct {
	Plan           *plan.Plan
	Snapshot       *snapshot.Snapshot // with the new clusters in the place of their instances
	Configurations []upgrade.Configuration
}

// PlanUpgrade plans for the instances as they are after an upgrade to a later major version, on the machine that was
// examined: what is set by hand is carried over first. The installed program of the new version is asked, and tries the
// result.
func (s *Session) PlanUpgrade(ctx context.Context, o PlanOptions, to int) (out UpgradePlan, err error) {
	if _, err := s.upgradable(to); err != nil {
		return out, err
	}
	out.Snapshot, out.Configurations = upgrade.NewClusters(s.Snapshot, to)
	if len(out.Configurations) == 0 {
		return out, say.Usage(say.M("--upgrade-to: the settings of the instance are unknown"),
			say.M("Run pgfettle as a role that can connect, or name an evidence file that has them."))
	}
	program, why := s.newProgram(ctx, to)
	var answer planner.Answer
	if program != nil {
		defer func() { err = errors.Join(err, program.Close()) }()
		answer = program.Answer
	}
	options, today := o.On(out.Snapshot), s.Host.Today()
	options.Accepted = unexpired(options.Accepted, today)
	if out.Plan, err = planner.On(ctx, out.Snapshot, answer, options); err != nil {
		return out, pinProblem(o.policy, err)
	}
	p := out.Plan
	nameThePins(p, o.policy)
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Layer == knob.Instance && out.of(c.Key) != nil {
			c.Effect = knob.Restart // of the new server's first start
		}
	}
	p.Warnings = append(p.Warnings, plan.Overrides(p, out.Snapshot)...)
	p.Left = plan.Leaves(out.Snapshot, p, checks.All(), check.Options{Accept: acceptances(options.Accepted),
		Today: today})
	for i := range out.Configurations {
		c := &out.Configurations[i]
		values := out.overlay(c)
		if c.Trial.Reason = why; program != nil {
			c.Trial = trial(ctx, program, out.Snapshot.Instance(c.Key), values)
		}
	}
	return out, ctx.Err()
}

// of returns the configuration of an instance; nil if it is not upgraded.
func (u *UpgradePlan) of(key string) *upgrade.Configuration {
	for i := range u.Configurations {
		if u.Configurations[i].Key == key {
			return &u.Configurations[i]
		}
	}
	return nil
}

// overlay notes what the plan has in place of what is carried over, and returns all values of the new configuration.
func (u *UpgradePlan) overlay(c *upgrade.Configuration) map[string]string {
	planned := map[string]string{}
	for _, ch := range u.Plan.Changes {
		if ch.Layer != knob.Instance || ch.Key != c.Key || ch.Address.Prefix() != "pg" {
			continue
		}
		planned[ch.Address.Name()] = ch.To
		for i := range c.Parameters {
			if p := &c.Parameters[i]; p.NewName == ch.Address.Name() {
				p.Planned = &upgrade.Planned{Value: ch.To, Reason: ch.Reason}
			}
		}
	}
	values := c.Values()
	maps.Copy(values, planned)
	return values
}

// newProgram is the installed program of a major version, or why none is asked.
func (s *Session) newProgram(ctx context.Context, to int) (*serverprogram.NewVersion, say.Message) {
	if s.Collected == nil {
		return nil, say.M("No program is asked for a host that was not examined from here.")
	}
	program, err := serverprogram.FindNewVersion(ctx, s.Host.Target, to)
	if err != nil {
		return nil, say.M("No PostgreSQL {major} is installed here.", "major", to)
	}
	return program, say.Message{}
}

// trial lets the program of the new version read the configuration.
func trial(ctx context.Context, program *serverprogram.NewVersion, in *snapshot.Instance,
	values map[string]string) upgrade.Trial {
	tried, err := program.Try(ctx, in, values)
	if err != nil {
		return upgrade.Trial{Reason: say.M("It failed: {error}", "error", err)}
	}
	return upgrade.Trial{By: program.Binaries.String(), Complaints: tried.Complaints}
}
