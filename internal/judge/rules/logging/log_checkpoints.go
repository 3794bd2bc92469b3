package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogCheckpoints = rule.Rule{
	Address: knob.PG("log_checkpoints"),
	Title:   "whether each checkpoint is logged",
	Why: "One line every few minutes tells whether checkpoints come by the clock or are forced, how much they " +
		"write and how long the disks take. Nothing else keeps that history.",
	Formula: "on, the default since 15.",
	Sources: []string{"pg-config-logging", "dalibo-j1"},
	Decide:  decideLogged("a line for each checkpoint, a few an hour, tells why it came and what it wrote"),
}

// decideLogged switches a cheap log on.
func decideLogged(why say.Template) func(*rule.Case) {
	return func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "on" {
			c.Keep("it is on")
			return
		}
		c.Set(true, why)
	}
}
