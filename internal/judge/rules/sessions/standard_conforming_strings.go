package sessions

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var StandardConformingStrings = rule.Rule{
	Address: knob.PG("standard_conforming_strings"),
	Title:   "Literal treatment of backslashes in strings",
	Why: "The 1C platform uses backslash escapes in strings, and 1C recommends off. Its current versions also set " +
		"off themselves at each connection. For any other program, off turns correctly escaped quotes into SQL " +
		"injection. PostgreSQL 19 accepts only on and does not start with off.",
	Formula: "1c: off, up to 18. Other profiles keep their value.",
	Sources: []string{"its-1c", "postgrespro-1c", "onec-techlog", "pg-config-compatible"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		version, _ := c.Instance.Server.Version.Get()
		switch {
		case c.Options.Profile != rule.OneC:
		case version.Major() >= 19:
			c.Warn("PostgreSQL {major} answers with an error what the 1C platform runs at each connection (SET "+
				"standard_conforming_strings = off), and no statement of 1C that it supports {major} is known. Use 18 "+
				"or earlier: pgfettle explain onec-session-values", "major", version.Major())
		case have == "off":
			c.Keep("off, as the 1C platform requires up to 18")
		default:
			c.Set(false,
				"the 1C platform uses backslash escapes; its current versions set off themselves in their sessions. "+
					"For databases of other programs run ALTER DATABASE … SET standard_conforming_strings = on. "+
					"Remove the setting before an upgrade to 19, which rejects it")
		}
	},
}
