package vacuum

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumNaptime = rule.Rule{
	Address: knob.PG("autovacuum_naptime"),
	Title:   "Interval between autovacuum runs per database",
	Why: "A check costs little. A table that is filled and emptied within minutes, as in 1C, is queried with " +
		"outdated statistics until the next check.",
	Formula: "1c: 20 s. Other profiles: at most 1 min, the default. Shorter intervals stay.",
	Sources: []string{"pg-config-autovacuum", "its-1c"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(knob.PG("autovacuum_naptime"))
		most := time.Minute
		if c.Options.Profile == rule.OneC {
			most = 20 * time.Second
		}
		switch {
		case !ok:
		case have <= most.Seconds():
			c.Keep("each database is checked every {present}", "present", c.Shown())
		case c.Options.Profile == rule.OneC:
			c.Set(most, "1C fills and empties tables within a minute, and a check every {present} misses that",
				"present", c.Shown())
		default:
			c.Set(most, "{present} is longer than the default, and a check costs almost nothing",
				"present", c.Shown())
		}
	},
}
