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
	Title:   "Connections reserved for superusers",
	Why: "When all connections are in use, an administrator can only connect, and see who uses them, if some are " +
		"reserved.",
	Formula: "At least 3, the default, if max_connections leaves regular users more than that. Higher values stay.",
	Sources: []string{"pg-config-connection"},
	Needs:   []knob.Address{knob.PG("max_connections")},
	Decide: func(c *rule.Case) {
		conns, ok := c.Int(knob.PG("max_connections"))
		reserved, _ := c.Int(knob.PG("reserved_connections")) // 16+; none before
		have := int(c.Now())
		switch {
		case have >= superuserSlots:
			c.Keep("{present} is enough", "present", c.Shown())
		case ok && conns > 2*superuserSlots+reserved:
			c.Set(superuserSlots,
				"{present} reserved of {connections}: when all are in use, no administrator can connect", "present",
				c.Shown(), "connections", conns)
		}
	},
}
