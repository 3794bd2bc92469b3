package security

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// md5Deprecated is the version whose release notes announce the removal.
const md5Deprecated = 18

// PasswordsMd5 is a warning since the version that announces the end of MD5.
var PasswordsMd5 = check.Check{
	ID:       "passwords_md5",
	Area:     check.Security,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Passwords stored as MD5 hashes",
	Why: "An MD5 hash is equivalent to the password: anyone who reads it from a dump or a backup can log in " +
		"with it. The password itself can be found within hours. SCRAM has neither weakness. PostgreSQL 18 " +
		"warns when an MD5 password is set, 19 also at every login with one, and a later version will not accept it.",
	Do: "Verify that all drivers support SCRAM (libpq 10 and later). Change the method for new passwords (reload): " +
		"ALTER SYSTEM SET password_encryption = 'scram-sha-256'; SELECT pg_reload_conf();\nThen set each password " +
		"again (\\password in psql). Lines with md5 in pg_hba.conf accept both kinds; change them to scram-sha-256 " +
		"after the last password.",
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
		c.That(sev, say.M(c.Remedy()), say.N(n,
			"{n} login role ({example}); superusers: {super}; password_encryption = {next}.",
			"{n} login roles (for example {example}); superusers: {super}; password_encryption = {next}.",
			"example", example, "super", super, "next", next))
	},
}
