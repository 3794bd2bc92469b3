package sessions

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var PasswordEncryption = rule.Rule{
	Address: knob.PG("password_encryption"),
	Title:   "how new passwords are stored",
	Why: "An MD5 hash is all that one needs to log in, and 18 calls it deprecated. Passwords that are there " +
		"stay as they are until they are set anew; lines of pg_hba.conf that say md5 accept both. Drivers older " +
		"than 2018 do not know SCRAM.",
	Formula: "scram-sha-256. md5 is the default of 13.",
	Sources: []string{"pg-config-connection", "pg-release-notes"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "scram-sha-256" {
			c.Keep("new passwords are stored for SCRAM")
			return
		}
		c.Set("scram-sha-256",
			"an MD5 hash that is read from a dump is enough to log in; only passwords that are set from now on change")
	},
}
