package security

import "github.com/pgfettle/pgfettle/internal/judge/check"

// RolesWithoutPassword keeps silent as soon as one line lets in by other means: whom for, cannot be
// told from here.
var RolesWithoutPassword = check.Check{
	ID:       "roles_without_password",
	Area:     check.Security,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Roles have no password, and every way in asks for one",
	Why: "All lines of pg_hba.conf that let somebody in ask for a password, so a role that has none cannot log in " +
		"at all. Either the role is not " +
		"needed, or somebody is about to write trust into pg_hba.conf to make it work. An expired password shuts a " +
		"role out in the same way, and " +
		"nobody else is told why.",
	Do: "Take the right away where it is not used: ALTER ROLE … NOLOGIN; or give the role a password (\\password in " +
		"psql), or a new date: ALTER " +
		"ROLE … VALID UNTIL 'infinity'.",
	Sources: []string{"pg-auth-methods"},
	Judge: func(c *check.Case) {
		kinds, ok := check.Need(c, c.Instance.Server.Passwords)
		if !ok {
			return
		}
		rules, ok := check.Need(c, c.Instance.Server.HBA)
		if !ok {
			return
		}
		for _, r := range rules {
			if isRule(r) && r.Method != "reject" && r.Method != "md5" && r.Method != "scram-sha-256" &&
				r.Method != "password" {
				return
			}
		}
		var none, expired int64
		example := ""
		for _, k := range kinds {
			expired += k.Expired
			if k.Kind == "none" {
				none += k.Roles
				expired -= k.Expired
				if example == "" {
					example = " (such as " + k.Example + ")"
				}
			}
		}
		if none+expired > 0 && len(rules) > 0 {
			c.Found("Without a password: {none}{example}; with an expired one: {expired}.", "none", none, "example",
				example, "expired", expired)
		}
	},
}
