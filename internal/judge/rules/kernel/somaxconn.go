package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var Somaxconn = rule.Rule{
	Address: knob.Sysctl("net.core.somaxconn"),
	Title:   "how many connections may wait to be accepted",
	Why: "The server asks for a queue of twice max_connections, and the kernel cuts it to this. A burst of new " +
		"sessions beyond it waits a second and more for its second try. Kernels before 5.4 have 128.",
	Formula: "4096, the kernel's default since 5.4, where it is less and an instance asks for more. The server " +
		"takes it at its next start.",
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
			c.Keep("{present} may wait, and the server asks for {asked}", "present", have, "asked", asked)
			return
		}
		c.Set("4096",
			"the server asks for a queue of {asked} and gets {present}: a burst of new sessions has to try again a "+
				"second later. It takes effect at the server's next start", "asked", asked, "present", have)
	},
}
