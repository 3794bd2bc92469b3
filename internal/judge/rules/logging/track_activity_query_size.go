package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var TrackActivityQuerySize = rule.Rule{
	Address: knob.PG("track_activity_query_size"),
	Title:   "how much of a running query's text is kept",
	Why: "pg_stat_activity and pg_stat_statements show this much of a query. What 1C generates is longer than a " +
		"kilobyte before its WHERE begins. Each session has so much shared memory for it.",
	Formula: "1c 8 kB; others at least the default of 1 kB. More stays.",
	Sources: []string{"pg-config-statistics"},
	Decide: func(c *rule.Case) {
		least, text := unit.KB, say.Template("{present} cuts most queries before one can tell them apart; {least} is "+
			"the default")
		if c.Options.Profile == rule.OneC {
			least, text = 8*unit.KB,
				"what 1C generates is longer than {present} before its WHERE begins; {least} tell two queries apart"
		}
		if have, ok := c.Bytes(c.Rule.Address); ok && have < least {
			c.Set(least, text, "present", have, "least", least)
		} else if ok {
			c.Keep("{present} of a query are kept", "present", have)
		}
	},
}
