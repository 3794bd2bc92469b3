package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var MaxSlotWALKeepSize = rule.Rule{
	Address: knob.PG("max_slot_wal_keep_size"),
	Title:   "WAL that replication slots may retain",
	Why: "A slot without a consumer retains WAL until the disk is full and the server stops with a PANIC. With a " +
		"limit, the slot is invalidated instead: its standby or subscriber must be rebuilt, but the server keeps " +
		"running.",
	Formula: "Half of the space that slots can use on the WAL filesystem: free space + what they retain now. Only if " +
		"slots exist, no limit is set, and the result is at least 2 × max_wal_size and more than any slot retains now.",
	Sources: []string{"pg-config-replication"},
	Needs:   []knob.Address{maxWALSizeAddress},
	Risk:    knob.Medium,
	// The free space changes from minute to minute; a limit once set is Keep's.
	Decide: decideMaxSlotWALKeepSize,
}

func decideMaxSlotWALKeepSize(c *rule.Case) {
	if c.Now() >= 0 {
		c.Keep("slots may retain {present}", "present", c.Shown())
		return
	}
	slots, ok := rule.Need(c, c.Instance.Server.Slots)
	if !ok {
		return
	}
	var held unit.Bytes
	n := 0
	for _, s := range slots {
		if s.Temporary {
			continue // goes with its session
		}
		n++
		if r, ok := s.Retained.Get(); ok {
			held = max(held, r)
		}
	}
	if n == 0 {
		c.Keep("no replication slots")
		return
	}
	_, free, ok := c.SpaceOf(snapshot.WALPlace)
	least, ok2 := c.Bytes(maxWALSizeAddress)
	if !ok || !ok2 {
		return
	}
	want := (free + held).Scale(0.5).RoundDown(unit.GB)
	slotCount := say.N(n, "{n} replication slot", "{n} replication slots")
	switch {
	case want <= held:
		c.Warn(
			"A replication slot retains {held} of WAL, and {free} is free on its disk. A limit that fits there would "+
				"invalidate the slot at once; without a limit the disk fills up. Find the consumer of the slot, or "+
				"drop the slot.",
			"held", held, "free", free)
		c.Keep("a limit that fits into {free} of free space would invalidate a slot that retains {held}", "free", free,
			"held", held)
	case want < 2*least:
		c.Keep(
			"half of {room} is too little with max_wal_size = {max}: the first long checkpoint would invalidate a slot",
			"room", free+held, "max", least)
	default:
		c.Set(want,
			"{slots} can fill the WAL disk; the limit is half of {room}, the space that is free there or retained now",
			"slots", slotCount, "room", free+held)
	}
}
