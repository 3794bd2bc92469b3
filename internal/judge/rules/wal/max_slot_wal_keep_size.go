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
	Title:   "how much WAL replication slots may hold back",
	Why: "A slot whose reader is gone holds back WAL until the disk is full and the server stops with a PANIC. A " +
		"limit gives up that one slot instead: " +
		"its standby or subscriber must then be made anew, while the server goes on.",
	Formula: "Half of what slots have to themselves on the WAL's file system: free space plus what they hold back " +
		"now. Only where slots exist, none is set, and it is at least twice max_wal_size and more than any slot " +
		"holds back now.",
	Sources: []string{"pg-config-replication"},
	Needs:   []knob.Address{maxWALSizeAddress},
	Risk:    knob.Medium,
	// The free space changes from minute to minute; a limit once set is Keep's.
	Decide: decideMaxSlotWALKeepSize,
}

func decideMaxSlotWALKeepSize(c *rule.Case) {
	if c.Now() >= 0 {
		c.Keep("slots may hold back {present}", "present", c.Shown())
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
		c.Keep("there are no replication slots")
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
			"A replication slot holds back {held} of WAL, and {free} are free on its disk: a limit that fits there "+
				"would give up the slot at once, and without one the disk will be full. Find the reader of the "+
				"slot, or drop it.",
			"held", held, "free", free)
		c.Keep("a limit that fits {free} of free space would give up a slot that holds back {held}", "free", free,
			"held", held)
	case want < 2*least:
		c.Keep(
			"half of {room} is too little beside max_wal_size = {max}: the first long checkpoint would give up a slot",
			"room", free+held, "max", least)
	default:
		c.Set(want,
			"{slots} may fill the disk of the WAL; half of the {room} that are free there or held back now is the most",
			"slots", slotCount, "room", free+held)
	}
}
