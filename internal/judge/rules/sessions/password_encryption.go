package sessions

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var PasswordEncryption = rule.Rule{
	Address: knob.PG("password_encryption"),
	Title:   "Password hashing method",
	Why: "An MD5 hash alone is enough to log in, and MD5 is deprecated since 18. Existing passwords keep their hash " +
		"until they are set again. Lines with md5 in pg_hba.conf accept both. Drivers older than 2018 do not support " +
		"SCRAM.",
	Formula: "scram-sha-256. The default of 13 is md5.",
	Sources: []string{"pg-config-connection", "pg-release-notes"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "scram-sha-256" {
			c.Keep("new passwords are stored as SCRAM secrets")
			return
		}
		c.Set("scram-sha-256",
			"anyone who reads an MD5 hash in a dump can log in with it; only passwords that are set from now on change")
	},
}
