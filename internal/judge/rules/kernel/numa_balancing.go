package kernel

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var NumaBalancing = rule.Rule{
	Address: knob.Sysctl("kernel.numa_balancing"),
	Title:   "Automatic NUMA balancing",
	Why: "NUMA balancing periodically unmaps pages to find out which node uses them. Processes on all nodes use " +
		"shared_buffers, so no node is right for these pages. The page faults cost time and migration gains nothing.",
	Formula: "0 on dedicated hosts with at least two NUMA nodes; otherwise unchanged.",
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
			c.Keep("one NUMA node: nothing to balance")
		case have == 0:
			c.Keep("0 suits {nodes}: shared_buffers is used from all of them", "nodes", numaNodes(len(nodes)))
		case c.Options.Shared:
			c.Keep("other programs run on this host and may benefit")
		default:
			c.Set("0",
				"processes on {nodes} use shared_buffers: balancing costs page faults and gains nothing",
				"nodes", numaNodes(len(nodes)))
		}
	},
}

func numaNodes(n int) say.Message { return say.N(n, "{n} NUMA node", "{n} NUMA nodes") }
