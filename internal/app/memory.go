package app

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// Memory reports what holds the memory, and what a plan with these options would change. The session has to be opened
// with Request.Memory and Request.Killable.
func (s *Session) Memory(o rule.Options) *memory.Report {
	return memory.Diagnose(s.Snapshot, plannedBuffers(s.Snapshot, o))
}

// plannedBuffers are what a plan for the host gives shared_buffers, by instance.
func plannedBuffers(s *snapshot.Snapshot, o rule.Options) memory.Plan {
	out, err := rule.Decide(s, rules.All(), rules.OptionsOn(o, s))
	if err != nil {
		return nil
	}
	plan := memory.Plan{}
	for i := range s.Instances {
		if b, ok := sizing.Buffers(out, s.Instances[i].Key); ok {
			plan[s.Instances[i].Key] = b
		}
	}
	return plan
}

// PolicyOfDiagnosis is the policy of this site for a diagnosis, which has no flag for another one. One that cannot be
// read is reported and ignored: a diagnosis is made in an emergency.
func (s *Session) PolicyOfDiagnosis() *policy.Policy {
	p, err := s.Host.Policy(PolicyChoice{}, s.Collected != nil)
	if err != nil {
		s.Host.Tell("warning", say.M("policy ignored: {error}", "error", err))
		return &policy.Policy{}
	}
	return p
}
