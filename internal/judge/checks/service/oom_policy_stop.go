package service

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OomPolicyStop is a warning although it is systemd's default and most
// installations have it: an instance that had recovered in less than a second
// was seen to be stopped for good 0.3 seconds later. systemd learns of the kill
// from the unified hierarchy only, so on version 1 of control groups the
// finding is mere information, for the day of the upgrade.
var OomPolicyStop = check.Check{
	ID:       "oom_policy_stop",
	Area:     check.Service,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "systemd stops the instance when one backend is killed for memory",
	Why: "After the OOM killer has taken a backend PostgreSQL recovers by itself within moments. systemd, which " +
		"sees a killed process in its unit, then applies OOMPolicy: with stop it shuts the " +
		"recovered instance down, the unit is left failed, and without Restart= it stays down until somebody comes. " +
		"With kill it kills the rest of the unit at once.",
	Do: "Run systemctl edit for the unit, add [Service] and OOMPolicy=continue, then systemctl daemon-reload. No " +
		"restart is needed. Only where something else, such as a cluster manager, is meant to take over, " +
		"leave it.",
	Commands: []check.Command{
		check.Conf("OOMPolicy=continue"),
		check.Shell("systemctl daemon-reload"),
	},
	Sources: []string{"systemd-service", "pgfettle-measured"},
	Judge: func(c *check.Case) {
		u, ok := check.Need(c, c.Instance.Unit)
		if !ok || u.OOMPolicy != "stop" && u.OOMPolicy != "kill" {
			return
		}
		sev, seen := check.Warning, say.Template("{unit} has OOMPolicy={policy}.")
		if cg, ok := c.Instance.CGroup.Get(); ok && cg.Version == 1 {
			sev, seen = check.Info, "{unit} has OOMPolicy={policy}, without effect as long as this host uses control "+
				"groups of version 1."
		}
		c.FoundDo(sev,
			"Run systemctl edit {unit}, add the lines [Service] and OOMPolicy=continue, then systemctl "+
				"daemon-reload. No restart is needed. Only where something else, such as a cluster manager, "+
				"is meant to take over, leave it.", seen, "unit", u.Name, "policy", u.OOMPolicy)
	},
}
