package logging

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogAutovacuumMinDuration = rule.Rule{
	Address: knob.PG("log_autovacuum_min_duration"),
	Title:   "from which duration on an autovacuum is logged",
	Why: "The line tells how many rows were removed, how many could not be and why, and how fast it went: the " +
		"evidence for the cost limit and for long transactions.",
	Formula: "1 minute where it is off or longer; less stays.",
	Sources: []string{"pg-config-logging", "pg-routine-vacuuming"},
	Decide: func(c *rule.Case) {
		have, ok := c.Seconds(knob.PG("log_autovacuum_min_duration"))
		switch {
		case ok && have == 0:
			c.Keep("every run is logged")
		case ok && have <= 60:
			c.Keep("runs of {present} and more are logged", "present", c.Shown())
		case ok:
			c.Set(time.Minute,
				"only runs of {present} and more are logged; what a shorter one could not remove stays unknown",
				"present", c.Shown())
		default:
			c.Set(time.Minute, "no run is logged, so what autovacuum could not remove stays unknown")
		}
	},
}
