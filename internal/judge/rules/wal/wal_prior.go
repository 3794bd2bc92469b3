package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

// walBase is how much WAL a profile is given between two checkpoints on a machine
// of walCPUs with a checkpoint_timeout of walTimeout. A web application mostly
// reads; a writer of 5 MB/s fills 4 GB in a quarter of an hour; a warehouse loads
// in bulk, and a developer's machine does so now and then.
var walBase = map[rule.Profile]unit.Bytes{
	rule.Web: 2 * unit.GB, rule.OLTP: 4 * unit.GB, rule.DW: 8 * unit.GB, rule.Mixed: 2 * unit.GB, rule.Desktop: unit.GB,
	rule.OneC: 4 * unit.GB,
}

const (
	// walCPUs is the machine of walBase: WAL is written by sessions at work, which are as many as there are CPUs for
	// them.
	walCPUs = 8
	// walCPUShare is the least share of walBase: from 4 CPUs down it is the disk that a few sessions wait for, and not
	// the CPU.
	walCPUShare = 0.5
	// walHDDShare: a rotating disk takes a fraction of the writes that flash takes,
	// and after a crash it is the slowest at reading the pages that the WAL changes.
	walHDDShare = 0.5
	// walTimeout is the checkpoint_timeout that a plan sets, in seconds.
	walTimeout = 15 * 60
	// walTimeoutMost bounds what a longer one adds: after an hour most pages that
	// are in use were written into the WAL whole, and it grows more slowly.
	walTimeoutMost = 4
	// walLeast is the server's default, which is right for the smallest host too.
	walLeast = unit.GB
	// walMost is as much as is given unmeasured: 75 MB of WAL a second fill it in a
	// quarter of an hour, and one process replays it after a crash at about as much.
	walMost = 64 * unit.GB
	// walMostDW: a warehouse's bulk loads write twice that, and it can wait longer after a crash.
	walMostDW = 128 * unit.GB
	// walMemory is the part of the memory that WAL between checkpoints is worth: as
	// much as shared_buffers has, which holds the pages that a checkpoint writes. After a
	// crash their replay then finds most of them in memory. With less than 4 GB of
	// memory it leaves the default.
	walMemory = 4
)

// walPrior returns how much WAL the profile is given between two checkpoints on this machine, and how that comes about.
// More CPUs or memory never give less.
func walPrior(c *rule.Case) (unit.Bytes, say.Message) {
	profile := c.Options.Profile
	base, ok := walBase[profile]
	if !ok {
		base = walBase[rule.Mixed]
	}
	why := []say.Message{say.M("{base} per 8 CPUs", "base", base)}
	also := func(text say.Template, pairs ...any) { why = append(why, say.M(text, pairs...)) }
	factor := 1.0
	if cpus, ok := c.CPUs(); ok {
		factor = max(float64(cpus)/walCPUs, walCPUShare)
		why[0] = say.M("{base} per 8 CPUs, here {cpus}", "base", base, "cpus", cpus)
	}
	if walRotates(c) {
		factor *= walHDDShare
		also("halved on a rotating disk")
	}
	if every, ok := c.Seconds(knob.PG("checkpoint_timeout")); ok && every != walTimeout {
		factor *= min(every/walTimeout, walTimeoutMost)
		v, _ := c.Value(knob.PG("checkpoint_timeout"))
		also("checkpoint_timeout is {timeout} instead of 15min", "timeout", v.Show())
	}
	size := base.Scale(factor)
	if b, ok := c.Basis(); ok {
		memory := sizing.SizeBase(c, b)
		// A machine sold as 64 GB has 62.7 GB.
		if most := walStep(sizing.WithTolerance(memory, sizing.BuffersNear) / walMemory); most < walStep(size) {
			size = most
			also("at most {most} with {memory} of memory", "memory", memory, "most", most)
		}
	}
	most := walMost
	if profile == rule.DW {
		most = walMostDW
	}
	if size > most {
		size = most
		also("at most {ceiling} without a measurement", "ceiling", most)
	}
	if size < walLeast {
		also("at least {least}", "least", walLeast)
	}
	return walStep(size), say.All("; ", why...)
}

// walStep rounds down to a power of two of gigabytes, or one and a half of it, so that a CPU more or less seldom moves
// the plan; at least walLeast.
func walStep(b unit.Bytes) unit.Bytes { return max(sizing.RoundDown(b, 2, unit.GB), walLeast) }

// walRotates reports whether the WAL is known to be on a rotating disk. Missing facts are noted by random_page_cost,
// which needs it more.
func walRotates(c *rule.Case) bool {
	noted := len(c.Outcome.Unknown)
	kind, _, ok := c.StorageOf(snapshot.WALPlace)
	if !ok {
		c.Outcome.Unknown = c.Outcome.Unknown[:noted]
	}
	return ok && kind == rule.HDD
}
