package selection

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Moved reports whether a plan is still valid compared with a new one for the host, made with the same options. Inputs
// that moved without changing what they lead to, such as the memory that is free at the moment, make no plan stale. The
// error names the fact.
func Moved(p, fresh *plan.Plan) error {
	for i := range p.Changes {
		c := &p.Changes[i]
		d := sameChange(fresh, c)
		switch {
		case d == nil:
			return Stale(say.M("{address} ({from} → {to}) is no longer planned", "address", string(c.Address), "from",
				c.From, "to", c.To))
		case c.FromBase != d.FromBase:
			return Stale(say.M("{address} is {from} now; the plan expected {from2}", "address", string(c.Address),
				"from", d.From, "from2", c.From))
		case c.ToBase != d.ToBase:
			return Stale(say.M("{address} would now be set to {to}, not {to2}{inputs}", "address", string(c.Address),
				"to", d.To, "to2", c.To, "inputs", movedInputs(c.Inputs, d.Inputs)))
		}
	}
	return nil
}

func sameChange(p *plan.Plan, c *plan.Change) *plan.Change {
	for i := range p.Changes {
		if d := &p.Changes[i]; d.Address == c.Address && d.Instance == c.Instance {
			return d
		}
	}
	return nil
}

// movedInputs names the inputs that moved.
func movedInputs(then, now []rule.Input) string {
	said := ""
	for _, a := range then {
		for _, b := range now {
			if a.Name == b.Name && a.Value != b.Value {
				said += fmt.Sprintf("; %s was %s, now %s", a.Name, a.Value, b.Value)
			}
		}
	}
	return said
}

func Stale(detail say.Message) error {
	return &say.Problem{Message: say.M("the plan is stale"), Detail: detail, Hint: say.M("run plan again and review " +
		"the changes"),
		Code: say.CodeStale}
}
