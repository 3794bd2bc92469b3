package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var DefaultToastCompression = rule.Rule{
	Address: knob.PG("default_toast_compression"),
	Title:   "how long values are compressed in tables",
	Why: "lz4 compresses and decompresses several times faster than pglz, for values that are a little larger. " +
		"Only new values get it; what is there is read as it is.",
	Formula: "lz4 where the server's build has it. From 19 on it is the default.",
	Sources: []string{"pg-config-client", "pg-release-notes"},
	From:    14,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		switch {
		case have == "lz4":
			c.Keep("new values are compressed with lz4")
		case c.Allows("default_toast_compression", "lz4"):
			c.Set("lz4",
				"this server's build has lz4, which is several times faster than {present}; values that are there "+
					"stay as they are", "present", have)
		default:
			c.Keep("this server's build is not known to have lz4")
		}
	},
}
