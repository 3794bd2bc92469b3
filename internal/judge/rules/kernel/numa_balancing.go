package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var NumaBalancing = rule.Rule{
	Address: knob.Sysctl("kernel.numa_balancing"),
	Title:   "whether the kernel moves pages to the NUMA node of the process that reads them",
	Why: "It takes pages out of the page tables now and then, to see who faults them in. Shared buffers are read by " +
		"processes of all nodes: there is no right node for them, " +
		"so the faults cost and moving gains nothing.",
	Formula: "0 on dedicated hosts with two NUMA nodes or more; as it is elsewhere.",
	Sources: []string{"linux-vm"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Decide: func(c *rule.Case) {
		if !c.Kernel() {
			return
		}
		nodes, ok := rule.Need(c, c.Snapshot.Host.Nodes)
		if !ok {
			return
		}
		have, ok := c.Sysctl()
		if !ok {
			return
		}
		switch {
		case len(nodes) < 2:
			c.Keep("with one NUMA node there is nothing to balance")
		case have == 0:
			c.Keep("0 is right for {nodes} NUMA nodes: shared buffers have no node of their own", "nodes", len(nodes))
		case c.Options.Shared:
			c.Keep("other programs run on this host, and they may profit")
		default:
			c.Set("0",
				"the processes of {nodes} NUMA nodes all read the shared buffers, so their pages have no right "+
					"node, and looking for one costs page faults", "nodes", len(nodes))
		}
	},
}
