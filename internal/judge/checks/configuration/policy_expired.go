package configuration

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PolicyExpired is a notice: what was accepted is reported again by its own
// check, at that check's severity. The decision itself is what is due.
var PolicyExpired = check.Check{
	ID:       "policy_expired",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "A finding was accepted until a day that has passed",
	Why: "The policy file accepts this finding until a day that is over. Whoever wrote it wanted the question asked " +
		"again then: the machine, the version or the reason may have " +
		"changed. Until somebody decides, the finding counts as if it had never been accepted.",
	Do: "Remove the fault and the entry, or write a new date and a reason that holds today into the policy file. " +
		"'pgfettle policy show' lists all of it.",
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
					Reason: "no clock was read, so acceptances with a date are passed over"})
			case a.Expired(today):
				where := "everywhere"
				if a.Instance != "" {
					where = map[bool]string{true: "for the host", false: "for " +
						a.Instance}[a.Instance == check.HostOnly]
				}
				c.Found("{id} was accepted {where} until {day}; today is {today}. The reason given: {reason}",
					"id", a.ID, "where", where, "day", a.Expires, "today", today, "reason", a.Reason)
			}
		}
	},
}
