package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var RecoveryPrefetch = rule.Rule{
	Address: knob.PG("recovery_prefetch"),
	Title:   "whether replay reads ahead what the WAL names",
	Why: "A standby, or a server after a crash, replays the WAL in one process that waits for each page. try " +
		"has the pages read while earlier records are replayed, where the system can.",
	Formula: "try, the default, where it is off.",
	Sources: []string{"pg-config-wal"},
	From:    15,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have != "off" {
			c.Keep("{present}: replay reads ahead", "present", have)
			return
		}
		c.Set("try",
			"off: replay waits for each page that it needs, after a crash and on a standby; try is the default")
	},
}
