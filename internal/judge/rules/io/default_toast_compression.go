package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DefaultToastCompression = rule.Rule{
	Address: knob.PG("default_toast_compression"),
	Title:   "Default TOAST compression method",
	Why: "lz4 compresses and decompresses several times faster than pglz, at slightly larger sizes. Only new values " +
		"are affected; existing values stay readable as they are.",
	Formula: "lz4 if the server is built with it. PostgreSQL 19 has it as the default.",
	Sources: []string{"pg-config-client", "pg-release-notes"},
	From:    14,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		switch {
		case have == "lz4":
			c.Keep("new values are compressed with lz4")
		case c.Allows("default_toast_compression", "lz4"):
			c.Set("lz4",
				"lz4 is several times faster than {present}, and the server is built with it; existing values are "+
					"not rewritten", "present", have)
		default:
			c.Keep("the server is not known to be built with lz4")
		}
	},
}
