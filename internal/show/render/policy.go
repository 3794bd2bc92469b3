package render

import (
	"fmt"
	"io"

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

// PolicyLimits are how far a run may go; what is left out has no limit.
type PolicyLimits struct {
	MaxEffect *knob.Effect    `json:"max_effect,omitempty"`
	FailOn    *check.Severity `json:"fail_on,omitempty"`
}

// PolicyOf makes the document of a policy as it holds on a day.
func PolicyOf(p *policy.Policy, today string) Policy {
	d := Policy{Schema: "pgfettle.policy/1", File: p.File, Today: today, Profile: p.Profile, Pins: []PolicyPin{}, Accepted: []PolicyAccepted{},
		Limits: PolicyLimits(p.Limits)}
	for _, x := range p.Pins {
		d.Pins = append(d.Pins, PolicyPin(x))
	}
	for _, a := range p.Accept {
		d.Accepted = append(d.Accepted, PolicyAccepted{Acceptance: a.Acceptance, Expired: a.Expired(today), Line: a.Line})
	}
	return d
}

// PolicyJSON writes the document as JSON.
func PolicyJSON(w io.Writer, d Policy) error { return writeJSON(w, d) }

// PolicyLine writes what a policy holds in one line.
func PolicyLine(w io.Writer, d Policy) error {
	s := clean(d.File) + ": " + count(len(d.Pins), "pin", "pins") + ", " + count(len(d.Accepted), "accepted finding", "accepted findings")
	ended := 0
	for _, a := range d.Accepted {
		if a.Expired {
			ended++
		}
	}
	if ended > 0 {
		s += fmt.Sprintf(" (%d past the day)", ended)
	}
	if d.Profile != "" {
		s += ", profile " + string(d.Profile)
	}
	_, err := fmt.Fprintln(w, s+".")
	return err
}

// PolicyText writes a policy for a person.
func PolicyText(w io.Writer, d Policy, st Style) error {
	p := newPage(st)
	p.para("Policy    ", strong, d.File)
	if d.Profile != "" {
		p.para("Profile   ", plain, string(d.Profile))
	}
	if d.Limits.MaxEffect != nil {
		p.para("Limit     ", plain, "apply does nothing that needs more than "+d.Limits.MaxEffect.String())
	}
	if d.Limits.FailOn != nil {
		p.para("Limit     ", plain, "check ends with 3 from "+d.Limits.FailOn.String()+" on")
	}
	for _, x := range d.Pins {
		p.para("Pin       ", plain, fmt.Sprintf("%s = %s (line %d)", x.Address, x.Value, x.Line))
	}
	for _, a := range d.Accepted {
		where := ""
		if a.Instance != "" {
			where = " for " + a.Instance
		}
		end := p.word(until(check.Accepted{Expires: a.Expires}))
		if a.Expired {
			end += ", which has passed"
		}
		p.para("Accepted  ", plain, fmt.Sprintf("%s%s %s (line %d): %s", a.ID, where, end, a.Line, a.Reason))
	}
	if len(d.Pins)+len(d.Accepted) == 0 && d.Profile == "" && d.Limits == (PolicyLimits{}) {
		p.para("", plain, "It says nothing.")
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
