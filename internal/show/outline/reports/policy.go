package reports

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// PolicyLine is what a policy holds, in one line.
func PolicyLine(d document.Policy) string {
	s := typeset.Clean(d.File) + ": " + typeset.Count(len(d.Pins), "pin", "pins") + ", " +
		typeset.Count(len(d.Accepted), "accepted finding", "accepted findings")
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
	return s + "."
}

// Policy is what a policy says, entry by entry with its line in the file.
func Policy(d document.Policy, c *say.Catalogue) outline.Outline {
	const accepted = "Accepted"
	rows := outline.Rows{Longest: []string{accepted}}
	add := func(what string, text any) { rows.List = append(rows.List, outline.RowOf(what, text)) }
	add("Policy", outline.Bold(d.File))
	if d.Profile != "" {
		add("Profile", string(d.Profile))
	}
	if d.Limits.MaxEffect != nil {
		add("Limit", "apply does nothing that needs more than "+d.Limits.MaxEffect.String())
	}
	if d.Limits.FailOn != nil {
		add("Limit", "check ends with 3 from "+d.Limits.FailOn.String()+" on")
	}
	for _, x := range d.Pins {
		add("Pin", fmt.Sprintf("%s = %s (line %d)", x.Address, x.Value, x.Line))
	}
	for _, a := range d.Accepted {
		where := ""
		if a.Instance != "" {
			where = " for " + a.Instance
		}
		end := outline.WordsIn(c).Word(outline.Until(check.Accepted{Expires: a.Expires}))
		if a.Expired {
			end += ", which has passed"
		}
		add(accepted, fmt.Sprintf("%s%s %s (line %d): %s", a.ID, where, end, a.Line, a.Reason))
	}
	o := outline.Outline{rows}
	if len(d.Pins)+len(d.Accepted) == 0 && d.Profile == "" && d.Limits == (document.PolicyLimits{}) {
		o.Para("It says nothing.")
	}
	return o
}
