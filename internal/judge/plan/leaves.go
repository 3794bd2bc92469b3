package plan

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Left is a finding of check, a warning or worse, that remains after the plan was applied: what the plan leaves to
// others, and why.
type Left struct {
	ID       string         `json:"id"`
	Instance string         `json:"instance,omitempty"` // data directory or port; "" for the host
	Severity check.Severity `json:"severity"`
	Title    string         `json:"title"`
	Reason   Reason         `json:"reason"`
	Detail   say.Message    `json:"detail,omitzero"` // what was accepted or pinned; what the user can do
}

// Reason says why a plan leaves a finding.
type Reason string

// The reasons.
const (
	ByPolicy   Reason = "accepted" // the policy of the site accepts it
	ByPin      Reason = "pinned"   // the knob that would mend it is pinned
	OtherLayer Reason = "layer"    // it belongs to the host below a container
	NotSeen    Reason = "unknown"  // what would mend it could not be decided, as something is not known
	ByPerson   Reason = "person"   // no setting mends it, or not one that a program may decide
	Lessened   Reason = "in_part"  // it remains although the plan changes its subject
)

// Leaves lists what check would still report, of severity warning and worse, after the plan was applied.
func Leaves(s *snapshot.Snapshot, p *Plan, checks []check.Check, o check.Options) []Left {
	var out []Left
	o.Plan = p.Options()
	r := check.Run(Simulate(s, p), checks, o)
	add := func(f check.Finding, why Reason, detail say.Message) {
		if f.Severity >= check.Warning {
			out = append(out, Left{ID: f.ID, Instance: f.Instance, Severity: f.Severity, Title: f.Title, Reason: why,
				Detail: detail})
		}
	}
	for _, f := range r.Findings {
		why, detail := p.whyLeft(s, &f)
		add(f, why, detail)
	}
	for _, a := range r.Accepted {
		add(a.Finding, ByPolicy, say.Text(a.Reason))
	}
	return out
}

func (p *Plan) whyLeft(s *snapshot.Snapshot, f *check.Finding) (Reason, say.Message) {
	knob := rule.Mends(f.ID)
	if p.Asked != nil && knob != "" {
		for a, v := range p.Asked.Pins {
			if string(a) == knob {
				return ByPin, say.Text(knob + " = " + v)
			}
		}
	}
	for i := range p.Changes {
		if c := &p.Changes[i]; string(c.Address) == knob && c.Instance == f.Instance {
			return Lessened, f.Do
		}
	}
	virt, _ := s.Host.Virt.Get()
	switch {
	case f.Instance == "" && virt.Container != "" && (strings.HasPrefix(knob, "sysctl:") ||
		strings.HasPrefix(knob, "thp:")):
		return OtherLayer, f.Do
	case knob != "":
		return NotSeen, f.Do
	}
	return ByPerson, f.Do
}
