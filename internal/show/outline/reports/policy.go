package reports

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// PolicyLine is what a policy holds, in one line.
func PolicyLine(d document.Policy, c *say.Catalogue) string {
	ended := 0
	for _, a := range d.Accepted {
		if a.Expired {
			ended++
		}
	}
	parts := say.List{Items: []say.Message{say.N(len(d.Pins), "{n} pin", "{n} pins"),
		say.N(len(d.Accepted), "{n} accepted finding", "{n} accepted findings")}}
	if ended > 0 {
		parts.Items[1] = say.N(len(d.Accepted), "{n} accepted finding ({expired} expired)",
			"{n} accepted findings ({expired} expired)", "expired", ended)
	}
	if d.Profile != "" {
		parts.Items = append(parts.Items, say.M("profile {name}", "name", string(d.Profile)))
	}
	return say.M("{file}: {parts}.", "file", typeset.Clean(d.File), "parts", parts).In(c)
}

// Policy is what a policy says, entry by entry with its line in the file.
func Policy(d document.Policy, c *say.Catalogue) outline.Outline {
	p := outline.WordsIn(c)
	accepted := p.Say("Accepted")
	rows := outline.Rows{Longest: []string{accepted}}
	add := func(what string, text any) { rows.List = append(rows.List, outline.RowOf(what, text)) }
	add(p.Say("Policy"), outline.Bold(d.File))
	if d.Profile != "" {
		add(p.Say("Profile"), string(d.Profile))
	}
	if d.Limits.MaxEffect != nil {
		add(p.Say("Limit"), p.Say("apply makes only changes with an effect of at most: {effect}", "effect",
			d.Limits.MaxEffect.String()))
	}
	if d.Limits.FailOn != nil {
		add(p.Say("Limit"), p.Say("check exits with status 3 on findings of at least this severity: {severity}",
			"severity", d.Limits.FailOn.String()))
	}
	for _, x := range d.Pins {
		add(p.Say("Pin"), p.Say("{address} = {value} (line {line})", "address", string(x.Address), "value", x.Value,
			"line", x.Line))
	}
	for _, a := range d.Accepted {
		id := a.ID
		if a.Instance != "" {
			id = p.Say("{id} for {instance}", "id", a.ID, "instance", a.Instance)
		}
		end := outline.Until(check.Accepted{Expires: a.Expires})
		if a.Expired {
			end = say.M("expired on {day}", "day", a.Expires)
		}
		add(accepted, p.Say("{id}, {until} (line {line}): {reason}", "id", id, "until", end, "line", a.Line, "reason",
			a.Reason))
	}
	o := outline.Outline{rows}
	if len(d.Pins)+len(d.Accepted) == 0 && d.Profile == "" && d.Limits == (document.PolicyLimits{}) {
		o.Para(p.Say("The policy is empty."))
	}
	return o
}
