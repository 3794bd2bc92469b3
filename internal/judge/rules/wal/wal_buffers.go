package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	// walBuffersFull is the share of the WAL that had to be written by a backend
	// in the middle of its work, because the buffers were full, from which on
	// more of them are worth a restart.
	walBuffersFull = limits.WALBuffersFull
	walBuffersMore = limits.WALBuffersMore
)

var WalBuffers = rule.Rule{
	Address: knob.PG("wal_buffers"),
	Title:   "WAL buffers",
	Why: "When WAL buffers are full, a backend must write WAL before it can add a record. The automatic size, 1/32 " +
		"of shared_buffers up to one WAL file, suits almost every server. Small sizes that were once set manually do " +
		"not.",
	Formula: "-1 (automatic). 64 MB if at least 1% of the WAL was written because the buffers were full, over at " +
		"least 1 h of statistics (since 14).",
	Sources: []string{"pg-config-wal", "pg-wal-configuration", "pg-monitoring"},
	Decide:  decideWALBuffers,
}

func decideWALBuffers(c *rule.Case) {
	have, fixed := c.Bytes(knob.PG("wal_buffers"))
	if !fixed {
		c.Keep("the size is automatic")
		return
	}
	if w, ok := rule.Need(c, c.Instance.Server.WAL); ok && w.Secs >= walMeasured && w.Bytes > 0 {
		// Each time at least one block of 8 kB is written; the share is a lower bound.
		share := float64(w.BuffersFull) * 8192 / float64(w.Bytes)
		if share >= walBuffersFull && have < walBuffersMore {
			c.Set(walBuffersMore,
				"{times} in {hours}, a backend had to write WAL because {present} of buffers were full",
				"times", say.N(int(w.BuffersFull), "{n} time", "{n} times"), "hours", say.N(int(w.Secs/3600),
					"{n} hour", "{n} hours"),
				"present", c.Shown())
			return
		}
	}
	s, ok := c.Instance.Server.Settings.Get()
	if !ok {
		return
	}
	// A server shows the size that it worked out.
	if memory.Chosen(s["wal_buffers"]) == "-1" {
		c.Keep("automatic: {present} now, 1/32 of shared_buffers up to {segment}", "present", c.Shown(),
			"segment", walSegment(c))
		return
	}
	// Only the file that contains it shows that it was set explicitly.
	if set := s["wal_buffers"]; set.File != "" && have < walSegment(c) {
		c.Set("-1", "{present} was set manually; the automatic size grows with shared_buffers up to {segment}",
			"present", c.Shown(), "segment", walSegment(c))
		return
	}
	c.Keep("{present} is enough", "present", c.Shown())
}
