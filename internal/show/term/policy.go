package term

import (
	"fmt"
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// PolicyLine writes what a policy holds in one line.
func PolicyLine(w io.Writer, d document.Policy) error {
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
	_, err := fmt.Fprintln(w, s+".")
	return err
}

// Policy writes a policy for a person.
func Policy(w io.Writer, d document.Policy, st Style) error {
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
		end := p.Word(outline.Until(check.Accepted{Expires: a.Expires}))
		if a.Expired {
			end += ", which has passed"
		}
		p.para("Accepted  ", plain, fmt.Sprintf("%s%s %s (line %d): %s", a.ID, where, end, a.Line, a.Reason))
	}
	if len(d.Pins)+len(d.Accepted) == 0 && d.Profile == "" && d.Limits == (document.PolicyLimits{}) {
		p.para("", plain, "It says nothing.")
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}
