package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var Somaxconn = rule.Rule{
	Address: knob.Sysctl("net.core.somaxconn"),
	Title:   "Maximum listen backlog",
	Why: "The server requests a listen backlog of 2 × max_connections, and the kernel caps it at this value. In a " +
		"larger burst of new sessions, clients retry their connection after 1 s or more. The default is 128 before " +
		"kernel 5.4.",
	Formula: "4096, the kernel default since 5.4, if it is lower and an instance requests more. Takes effect at the " +
		"next server start.",
	Sources: []string{"linux-net", "pg-config-connection"},
	Needs:   []knob.Address{knob.PG("max_connections")},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		asked := 0
		for i := range c.Snapshot.Instances {
			if n, ok := c.ForInstance(&c.Snapshot.Instances[i]).Int(knob.PG("max_connections")); ok {
				asked = max(asked, 2*n)
			}
		}
		if have >= 4096 || have >= int64(asked) {
			c.Keep("a backlog of {present} is enough: the server requests {asked}", "present", have, "asked", asked)
			return
		}
		c.Set("4096",
			"the server requests a backlog of {asked} and gets {present}: in a burst, new sessions retry after 1 s. "+
				"Takes effect at the next server start", "asked", asked, "present", have)
	},
}
