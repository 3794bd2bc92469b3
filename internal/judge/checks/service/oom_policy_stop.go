package service

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// OomPolicyStop is a warning although it is systemd's default and most
// installations have it: an instance that had recovered in less than a second
// was stopped 0.3 seconds later. systemd detects the kill only in the unified
// hierarchy (cgroup v2), so with cgroup v1 the finding is information, for the
// day of the upgrade.
var OomPolicyStop = check.Check{
	ID:       "oom_policy_stop",
	Area:     check.Service,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "OOMPolicy=stop: systemd stops the instance after an OOM kill",
	Why: "After an OOM kill of a backend PostgreSQL recovers within moments. systemd detects the kill in its " +
		"unit and applies OOMPolicy. With stop it shuts the recovered instance down; the unit is failed and, " +
		"without Restart=, stays down until an administrator starts it. With kill it kills the rest of the " +
		"unit at once.",
	Do: "1. Run: systemctl edit UNIT\n2. Add under [Service]: OOMPolicy=continue\n3. Run: systemctl " +
		"daemon-reload\nNo restart is needed. Keep the current value only if another service, such as a cluster " +
		"manager, takes over.",
	Commands: []check.Command{
		check.Shell("systemctl edit {unit}"),
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
			sev, seen = check.Info, "{unit} has OOMPolicy={policy}, without effect while this host uses cgroup v1."
		}
		c.FoundDo(sev,
			"1. Run: systemctl edit {unit}\n2. Add under [Service]: OOMPolicy=continue\n3. Run: systemctl "+
				"daemon-reload\nNo restart is needed. Keep the current value only if another service, such as a "+
				"cluster manager, takes over.", seen, "unit", u.Name, "policy", u.OOMPolicy)
	},
}
