package sessions

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var EscapeStringWarning = rule.Rule{
	Address: knob.PG("escape_string_warning"),
	Title:   "Warning about backslash escapes in plain strings",
	Why: "The 1C platform runs with standard_conforming_strings = off, so almost every statement would log this " +
		"warning. Its current versions also set off themselves at each connection. PostgreSQL 19 removed the " +
		"setting and does not start with it.",
	Formula: "1c: off, up to 18. Other profiles keep their value.",
	Sources: []string{"its-1c", "postgrespro-1c", "onec-techlog", "pg-config-compatible"},
	To:      18,
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		switch {
		case c.Options.Profile != rule.OneC:
		case have == "off":
			c.Keep("off, as the 1C platform requires up to 18")
		default:
			c.Set(false,
				"with the strings of the 1C platform, almost every statement would log a warning; remove the setting "+
					"before an upgrade to 19, which does not have it")
		}
	},
}
