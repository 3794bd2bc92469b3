package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// idleSlotTimeout outlasts a host that is repaired on the next working day. After that, a standby or subscriber that
// left is more likely than one that returns.
const idleSlotTimeout = 48 * 3600 // seconds

var IdleReplicationSlotTimeout = rule.Rule{
	Address: knob.PG("idle_replication_slot_timeout"),
	Title:   "Time until an idle replication slot is invalidated",
	Why: "A slot whose consumer is gone retains WAL, and a logical one also dead rows of the catalogs: VACUUM cannot " +
		"remove them, and max_slot_wal_keep_size does not limit them. Since 18, a slot that was idle for longer than " +
		"this is invalidated at the next checkpoint. Its standby or subscriber must then be rebuilt.",
	Formula: "2d if slots exist and all of them have a consumer now; otherwise unchanged, because the consumer of an " +
		"idle slot may pause on purpose. A limit that is set stays.",
	Sources: []string{"pg-config-replication", "pg-release-notes"},
	From:    18,
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		if c.Now() > 0 {
			c.Keep("slots may be idle for {present}", "present", c.Shown())
			return
		}
		slots, ok := rule.Need(c, c.Instance.Server.Slots)
		if !ok {
			return
		}
		n := 0
		for _, s := range slots {
			switch {
			case s.Temporary: // goes with its session
			case !s.Active:
				if idle, ok := s.Idle.Get(); ok {
					c.Keep("the slot {slot} has been idle for {span}, and a timeout could invalidate it", "slot",
						s.Name, "span", say.Span(idle))
				} else {
					c.Keep("the slot {slot} is idle, and a timeout could invalidate it", "slot", s.Name)
				}
				return
			default:
				n++
			}
		}
		if n == 0 {
			c.Keep("no replication slots")
			return
		}
		c.Set(idleSlotTimeout,
			"{slots} with a consumer now; if one stays away for longer, its slot would hold back WAL, and VACUUM of "+
				"the catalogs",
			"slots", say.N(n, "{n} replication slot", "{n} replication slots"))
	},
}
