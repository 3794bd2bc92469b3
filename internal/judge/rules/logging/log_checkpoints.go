package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogCheckpoints = rule.Rule{
	Address: knob.PG("log_checkpoints"),
	Title:   "Log checkpoints",
	Why: "One log entry per checkpoint shows whether it was timed or requested, how much it wrote and how long the " +
		"disks took. No other record of that history exists.",
	Formula: "on, the default since 15.",
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	Decide:  decideLogged("one log entry per checkpoint, a few per hour, shows its cause and what it wrote"),
}

// decideLogged switches a cheap log on.
func decideLogged(why say.Template) func(*rule.Case) {
	return func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "on" {
			c.Keep("already on")
			return
		}
		c.Set(true, why)
	}
}
