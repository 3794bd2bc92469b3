package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Fsync is raised and never lowered: to keep it off for reproducible data, pin the present value.
var Fsync = rule.Rule{
	Address: knob.PG("fsync"),
	Title:   "Synchronization of updates to disk",
	Why: "With off, the server never forces writes to disk. After a power failure or kernel crash, files have " +
		"different ages and recovery cannot make them consistent. With on, each commit waits for the disk. For bulk " +
		"loads, synchronous_commit = off in the session is almost as fast and cannot corrupt data.",
	Formula: "on. A plan never disables it. If it is already off, a pin of off keeps it, for example on test servers.",
	Sources: []string{"pg-config-wal", "pg-wal-reliability"},
	Risk:    knob.Medium, // commits become as slow as the disk
	Legal:   rule.OnlyRaised,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "on" {
			c.Keep("commits are durable")
			return
		}
		c.Set(true,
			"with off, a power failure or kernel crash can leave data that cannot be recovered; from now on commits "+
				"wait for the disk. If the data may be lost, keep it with --pin pg:fsync=off")
		c.Warn("Data written by {instance} with fsync = off is not durable yet. Run sync once as soon as fsync is on.",
			"instance", c.Instance.Label())
	},
}
