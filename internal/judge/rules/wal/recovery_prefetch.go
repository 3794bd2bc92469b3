package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var RecoveryPrefetch = rule.Rule{
	Address: knob.PG("recovery_prefetch"),
	Title:   "Prefetch during recovery",
	Why: "On a standby or after a crash, one process replays WAL and waits for each page. With try, pages are " +
		"prefetched while earlier records are replayed, if the system supports it.",
	Formula: "try, the default, if it is off.",
	Sources: []string{"pg-config-wal"},
	From:    15,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have != "off" {
			c.Keep("with {present}, recovery prefetches pages", "present", have)
			return
		}
		c.Set("try",
			"with off, recovery waits for each page that it needs; try is the default")
	},
}
