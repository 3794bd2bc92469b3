package configuration

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PolicyExpired is a notice: what was accepted is reported again by its own
// check, at that check's severity. Here only the decision is due.
var PolicyExpired = check.Check{
	ID:       "policy_expired",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Accepted finding has expired",
	Why: "The policy file accepts this finding until a day that has passed. The date means that the decision " +
		"must be reviewed: the host, the version or the reason may have changed. Until it is renewed or removed, the " +
		"finding is reported as if it had never been accepted.",
	Do: "Fix the problem and remove the entry, or write a new date and a current reason into the policy file. " +
		"To list all entries, run pgfettle policy show",
	Commands: []check.Command{
		check.Shell("pgfettle policy show"),
	},
	Sources: []string{"pgfettle-policy"},
	Judge: func(c *check.Case) {
		today := c.Options().Today
		for i := range c.Options().Accept {
			a := &c.Options().Accept[i]
			switch {
			case a.Expires == check.Never:
			case today == "":
				c.Missing(known.Gap{Fact: "today's date",
					Reason: "no clock was read, so acceptances with a date are ignored"})
			case a.Expired(today):
				where := say.M("everywhere")
				switch a.Instance {
				case "":
				case check.HostOnly:
					where = say.M("for the host")
				default:
					where = say.M("for {instance}", "instance", a.Instance)
				}
				c.Found("{id} was accepted {where} until {day}; today is {today}. Reason: {reason}",
					"id", a.ID, "where", where, "day", a.Expires, "today", today, "reason", a.Reason)
			}
		}
	},
}
