package security

import "github.com/pgfettle/pgfettle/internal/judge/check"

// md5Deprecated is the version whose release notes announce the removal.
const md5Deprecated = 18

// PasswordsMd5 is a warning from the version on that announces the end of MD5.
var PasswordsMd5 = check.Check{
	ID:       "passwords_md5",
	Area:     check.Security,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Passwords are kept as MD5 hashes",
	Why: "An MD5 hash is as good as the password: who reads it, from a dump or a backup, logs in with it, and finds " +
		"the password itself within " +
		"hours. SCRAM has neither fault. Version 18 warns when such a password is set, and a later one will not " +
		"take it any more.",
	Do: "See that all drivers know SCRAM (libpq 10 and later), ALTER SYSTEM SET password_encryption = " +
		"'scram-sha-256'; SELECT pg_reload_conf(); " +
		"and set each password anew (\\password in psql). Lines with md5 in pg_hba.conf take both kinds; write " +
		"scram-sha-256 when the last one " +
		"is changed.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET password_encryption = 'scram-sha-256';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-auth-methods", "pg-config-connection", "pg-release-notes"},
	Judge: func(c *check.Case) {
		kinds, ok := check.Need(c, c.Instance.Server.Passwords)
		if !ok {
			return
		}
		set, ok := c.Settings()
		if !ok {
			return
		}
		var n, super int64
		example := ""
		for _, k := range kinds {
			if k.Kind == "md5" {
				n += k.Roles
				if k.Superuser {
					super += k.Roles
				}
				if example == "" {
					example = k.Example
				}
			}
		}
		if n == 0 {
			return
		}
		sev := check.Notice
		if v, ok := c.Instance.Server.Version.Get(); ok && v.Major() >= md5Deprecated {
			sev = check.Warning
		}
		next, _ := set.Text("password_encryption")
		c.FoundAs(sev,
			"{n} roles, such as {example}; superusers among them: {super} (new passwords: password_encryption = "+
				"{next}).",
			"n", n, "example", example, "super", super, "next", next)
	},
}
