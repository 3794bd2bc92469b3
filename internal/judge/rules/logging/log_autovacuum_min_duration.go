package logging

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogAutovacuumMinDuration = rule.Rule{
	Address: knob.PG("log_autovacuum_min_duration"),
	Title:   "Log autovacuum runs that take longer than this",
	Why: "Each log entry shows how many rows were removed, how many could not be removed yet, and the speed. It is " +
		"the evidence for the cost limit and against long transactions.",
	Formula: "1 min if it is off or longer. Shorter values stay.",
	Sources: []string{"pg-config-logging", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(knob.PG("log_autovacuum_min_duration"))
		switch {
		case ok && have == 0:
			c.Keep("all autovacuum runs are logged")
		case ok && have <= 60:
			c.Keep("autovacuum runs of at least {present} are logged", "present", c.Shown())
		case ok:
			c.Set(time.Minute,
				"only autovacuum runs of at least {present} are logged; what shorter runs could not remove is not "+
					"recorded",
				"present", c.Shown())
		default:
			c.Set(time.Minute, "autovacuum runs are not logged, so what they could not remove is not recorded")
		}
	},
}
