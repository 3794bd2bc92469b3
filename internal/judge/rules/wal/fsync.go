package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Fsync is raised and never lowered: who wants it off for data that he can make again
// pins what he has.
var Fsync = rule.Rule{
	Address: knob.PG("fsync"),
	Title:   "whether what is written is brought to stable storage",
	Why: "Off, the server never asks the kernel to write anything down: after a power failure or a crash of the " +
		"kernel the files are of different moments, and recovery cannot make them fit together. " +
		"On, each commit waits for the disk. synchronous_commit = off in a session that loads data is nearly as " +
		"fast and cannot corrupt anything.",
	Formula: "on. A plan never switches it off; a pin of off keeps a server as it is that has it off already, such " +
		"as one for tests.",
	Sources: []string{"pg-config-wal", "pg-wal-reliability"},
	Risk:    knob.Medium, // commits become as slow as the disk
	Legal:   rule.OnlyRaised,
	Decide: func(c *rule.Case) {
		if have, _ := c.Text(c.Rule.Address); have == "on" {
			c.Keep("what a commit promises is on the disk")
			return
		}
		c.Set(true,
			"off: after a power failure or a crash of the kernel the data cannot be recovered; commits wait for the "+
				"disk from now on. A server whose data may be lost keeps it with --pin pg:fsync=off")
		c.Warn("What {instance} wrote with fsync = off is not safely on disk: run sync once, as soon as fsync is on.",
			"instance", c.Instance.Label())
	},
}
