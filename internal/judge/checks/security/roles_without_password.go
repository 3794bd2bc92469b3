package security

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// RolesWithoutPassword keeps silent as soon as one line uses another method: for which roles is
// unknown here.
var RolesWithoutPassword = check.Check{
	ID:       "roles_without_password",
	Area:     check.Security,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Login roles without a usable password",
	Why: "Every line of pg_hba.conf that allows logins requires a password, so a role without one cannot log " +
		"in. Either the role is not needed, or someone may write trust into pg_hba.conf to make it work. An " +
		"expired password locks a role out in the same way, and only the server log shows the reason.",
	Do: "If the role does not need to log in, remove the right: ALTER ROLE ROLE_NAME NOLOGIN;\nOtherwise set a " +
		"password (\\password ROLE_NAME in psql), or extend the expired one: ALTER ROLE ROLE_NAME VALID UNTIL " +
		"'infinity';",
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
					example = k.Example
				}
			}
		}
		if none+expired == 0 || len(rules) == 0 {
			return
		}
		seen := say.Template("Roles without a password: {none}; with an expired one: {expired}.")
		if none > 0 {
			seen = "Roles without a password: {none} (for example {example}); with an expired one: {expired}."
		}
		c.Found(seen, "none", none, "example", example, "expired", expired)
	},
}
