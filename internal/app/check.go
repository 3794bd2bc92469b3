package app

import (
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
)

// CheckOptions are what a policy says of checks on this day: which findings are
// accepted, and the plan whose numbers findings name.
func (h *Host) CheckOptions(p *policy.Policy) check.Options {
	return check.Options{Accept: p.Accepted(), Today: h.Today(), Plan: h.ByPolicy(p)}
}

// Check runs the checks over what was inspected.
func (s *Session) Check(o check.Options) check.Report {
	return check.Run(s.Snapshot, checks.All(), o)
}
