package vacuum

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var AutovacuumNaptime = rule.Rule{
	Address: knob.PG("autovacuum_naptime"),
	Title:   "how often each database is looked at for tables to vacuum",
	Why: "Looking is cheap. A table that is filled and emptied within minutes, as 1C's are, is read with stale " +
		"statistics until somebody looks.",
	Formula: "1c 20 s; others at most the default of one minute. Less stays.",
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
			c.Keep("each database is looked at every {present}", "present", c.Shown())
		case c.Options.Profile == rule.OneC:
			c.Set(most, "1C fills and empties tables within a minute, which a look every {present} misses",
				"present", c.Shown())
		default:
			c.Set(most, "every {present} is less often than the default, and looking costs next to nothing",
				"present", c.Shown())
		}
	},
}
