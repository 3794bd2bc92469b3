package document

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Policy is what a site has decided, as a document.
type Policy struct {
	Schema   string           `json:"schema"`
	File     string           `json:"file"`
	Today    string           `json:"today"` // the day by which acceptances end
	Profile  rule.Profile     `json:"profile,omitempty"`
	Pins     []PolicyPin      `json:"pins"`
	Accepted []PolicyAccepted `json:"accepted"`
	Limits   PolicyLimits     `json:"limits"`
}

// PolicyPin is a value that plans keep to.
type PolicyPin struct {
	Address knob.Address `json:"address"`
	Value   string       `json:"value"`
	Line    int          `json:"line"`
}

// PolicyAccepted is an accepted finding.
type PolicyAccepted struct {
	check.Acceptance
	Expired bool `json:"expired"`
	Line    int  `json:"line"`
}

// PolicyLimits are how far a run may go; what is omitted has no limit.
type PolicyLimits struct {
	MaxEffect *knob.Effect    `json:"max_effect,omitempty"`
	FailOn    *check.Severity `json:"fail_on,omitempty"`
}

// PolicyOf makes the document of a policy as it holds on a day.
func PolicyOf(p *policy.Policy, today string) Policy {
	d := Policy{Schema: "pgfettle.policy/1", File: p.File, Today: today, Profile: p.Profile, Pins: []PolicyPin{},
		Accepted: []PolicyAccepted{},
		Limits:   PolicyLimits(p.Limits)}
	for _, x := range p.Pins {
		d.Pins = append(d.Pins, PolicyPin(x))
	}
	for _, a := range p.Accept {
		d.Accepted = append(d.Accepted, PolicyAccepted{Acceptance: a.Acceptance, Expired: a.Expired(today),
			Line: a.Line})
	}
	return d
}
