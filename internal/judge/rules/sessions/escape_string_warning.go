package sessions

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var EscapeStringWarning = rule.Rule{
	Address: knob.PG("escape_string_warning"),
	Title:   "whether a backslash in a plain string is warned of",
	Why: "With standard_conforming_strings = off, as the 1C platform needs it, nearly each of its statements " +
		"would be warned of in the log. 19 has no such setting and does not start with it.",
	Formula: "1c off up to 18; others keep what they have.",
	Sources: []string{"its-1c", "postgrespro-1c", "pg-config-compatible"},
	To:      18,
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(c.Rule.Address)
		switch {
		case c.Options.Profile != rule.OneC:
		case have == "off":
			c.Keep("off, as the 1C platform needs it up to 18")
		default:
			c.Set(false,
				"with the strings of the 1C platform nearly every statement would be warned of; take it out before "+
					"19, which has no such setting")
		}
	},
}
