package sessions

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var StandardConformingStrings = rule.Rule{
	Address: knob.PG("standard_conforming_strings"),
	Title:   "whether a backslash in a string is an ordinary character",
	Why: "The 1C platform builds its strings with backslashes as escapes, and its vendor names off. For any " +
		"other program off is how a quote that was escaped by the standard's rules becomes an injection. From 19 on " +
		"it cannot be off: a configuration that says so does not start there.",
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
				"the 1C platform writes strings with backslash escapes; give databases of other programs ALTER "+
					"DATABASE … SET standard_conforming_strings = on, and take it out before 19, which refuses it")
		}
	},
}
