package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// superuserSlots is the default: one for the person who repairs, one for the
// monitoring that runs as superuser, one to spare.
const superuserSlots = 3

var SuperuserReservedConnections = rule.Rule{
	Address: knob.PG("superuser_reserved_connections"),
	Title:   "how many connections are kept for superusers",
	Why:     "When the last connection is taken nobody can come in to see who holds them, unless some are kept back.",
	Formula: "At least the default of 3, where max_connections leaves ordinary users more than that. More stays.",
	Sources: []string{"pg-config-connection"},
	Needs:   []knob.Address{knob.PG("max_connections")},
	Decide: func(c *rule.Case) {
		conns, ok := c.Int(knob.PG("max_connections"))
		reserved, _ := c.Int(knob.PG("reserved_connections")) // 16+; none before
		have := int(c.Now())
		switch {
		case have >= superuserSlots:
			c.Keep("{present} are kept", "present", c.Shown())
		case ok && conns > 2*superuserSlots+reserved:
			c.Set(superuserSlots,
				"{present} of {connections} are kept: when all are taken nobody can come in to repair", "present",
				c.Shown(), "connections", conns)
		}
	},
}
