package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

// superuserSlots is the default: one for the person who repairs, one for the
// monitoring that runs as superuser, one to spare.
const superuserSlots = 3

var superuserReservedConnections = Rule{
	Address: knob.PG("superuser_reserved_connections"),
	Title:   "how many connections are kept for superusers",
	Why:     "When the last connection is taken nobody can come in to see who holds them, unless some are kept back.",
	Formula: "At least the default of 3, where max_connections leaves ordinary users more than that. More stays.",
	Sources: []string{"pg-config-connection"},
	Needs:   []knob.Address{knob.PG("max_connections")},
	Decide: func(c *Case) {
		conns, ok := c.Int(knob.PG("max_connections"))
		reserved, _ := c.Int(knob.PG("reserved_connections")) // 16+; none before
		have := int(c.now())
		switch {
		case have >= superuserSlots:
			c.Keep("{present} are kept", "present", c.shown())
		case ok && conns > 2*superuserSlots+reserved:
			c.Set(superuserSlots, "{present} of {connections} are kept: when all are taken nobody can come in to repair", "present", c.shown(), "connections", conns)
		}
	},
}
