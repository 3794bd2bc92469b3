package service

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// numaShare is the share of a node, as its divisor, above which shared_buffers is spread.
// The usual quarter of the memory is half of a node on two nodes, and all of one on four:
// filled by one process it would leave that node little for its page cache and sessions,
// and one memory controller would serve every reader. A quarter of a node does neither.
const numaShare = 4

var NumaPolicyRule = rule.Rule{
	Address: "unit:NUMAPolicy",
	Title:   "NUMA memory policy of the service",
	Why: "A page is placed on the node of the process that touches it first. If one process fills shared_buffers (a " +
		"dump, pg_prewarm), it fills one node. That node then drops page cache and swaps while other nodes have free " +
		"memory. Interleaved, every node holds an equal part. Session memory is interleaved too, so with two nodes " +
		"half of it is remote.",
	Formula: "interleave over all nodes with memory, if there are at least two, shared_buffers exceeds a quarter of " +
		"the smallest node, and a systemd unit runs the only instance. A policy that is set in the unit stays. " +
		"Otherwise the plan gives the reason. NUMAMask= is written with it, because systemd does not start a service " +
		"with this policy and no nodes. Takes effect at the next server start.",
	Sources: []string{"linux-numa-policy", "systemd-numa", "pg-config-resource"},
	Effect:  knob.Now,
	Risk:    knob.Medium,
	Needs:   []knob.Address{knob.PG("shared_buffers")},
	Legal:   func(_ *rule.Case, value string) error { return host.LegalNUMAPolicy(value) },
	Decide: func(c *rule.Case) {
		nodes, least, ok := memoryNodes(c)
		if !ok {
			return
		}
		large := largeForNode(c, least)
		present, known := c.Present().Get()
		switch {
		case len(large) == 0 && nodes == "":
			c.Keep("one NUMA node: nothing to interleave")
			return
		case len(large) == 0:
			c.Keep("shared_buffers is at most a quarter of a NUMA node ({node})",
				"node", least)
			return
		case known && rule.Interleaved(present.Setting):
			c.Keep("memory is already interleaved")
			return
		case known && !slices.Contains([]string{"n/a", "default", "local"}, present.Setting):
			c.Keep("the unit sets {present}: unchanged", "present", present.Setting)
			return
		}
		want := "interleave " + nodes
		if why := notInterleaved(c, large, known); !why.IsZero() {
			c.Warn(
				"shared_buffers = {buffers} exceeds a quarter of a NUMA node ({node}), but this plan does not "+
					"interleave it: {why}. To do it manually, set NUMAPolicy=interleave and NUMAMask={nodes} in a "+
					"drop-in of the unit that starts the server, or start the server with numactl "+
					"--interleave={nodes}. Both take effect at a restart of the server.",
				"buffers", large[0].buffers, "node", least, "why", why, "nodes", nodes)
			c.KeepAs(why)
			return
		}
		c.Set(want,
			"shared_buffers = {buffers} exceeds a quarter of a NUMA node ({node}): the process that fills it first "+
				"would fill one node. Takes effect at the next server start",
			"buffers", large[0].buffers, "node", least)
	},
}

// memoryNodes returns the nodes that have memory, as a list of systemd's, and the memory
// of the smallest; "" and 0 for none.
func memoryNodes(c *rule.Case) (list string, least unit.Bytes, ok bool) {
	nodes, ok := rule.Need(c, c.Snapshot.Host.Nodes)
	if !ok {
		return "", 0, false
	}
	var ids []string
	for _, n := range nodes {
		if n.Total <= 0 {
			continue // of CPUs alone
		}
		ids = append(ids, strconv.Itoa(n.ID))
		if least == 0 || n.Total < least {
			least = n.Total
		}
	}
	if len(ids) < 2 {
		return "", 0, true
	}
	list, err := host.NodeList(strings.Join(ids, ","))
	return list, least, err == nil
}

type numaInstance struct {
	of      *snapshot.Instance
	buffers unit.Bytes
}

// largeForNode returns the instances whose planned shared_buffers is larger than its
// share of a node.
func largeForNode(c *rule.Case, node unit.Bytes) (large []numaInstance) {
	for i := range c.Snapshot.Instances {
		in := &c.Snapshot.Instances[i]
		if sb, ok := c.ForInstance(in).Bytes(knob.PG("shared_buffers")); ok && node > 0 && sb > node/numaShare {
			large = append(large, numaInstance{in, sb})
		}
	}
	return large
}

// notInterleaved says why the policy is not written, as a clause; zero if it is.
func notInterleaved(c *rule.Case, large []numaInstance, known bool) (why say.Message) {
	in := large[0].of
	manager, _ := in.Manager.Get()
	u, hasUnit := in.Unit.Get()
	nodes, _ := c.Snapshot.Host.Nodes.Get()
	at, _ := in.Placement.Get()
	switch v, ok := c.Snapshot.Host.Virt.Get(); {
	case ok && v.Container != "":
		return say.M("in a container, the policy belongs to the program that starts it on the host")
	case manager != "":
		return say.M("{manager} starts the server, so the policy belongs to its unit or pod", "manager", manager)
	case !hasUnit || u.Name == "":
		return say.M("the systemd unit that starts the server is unknown")
	case len(c.Snapshot.Instances) > 1:
		return say.M("several instances run here, and each unit has its own policy")
	case !known:
		return say.M("NUMA policy of {unit}: unavailable (systemd before 243, or not collected)", "unit", u.Name)
	case at.Mems != "" && slices.ContainsFunc(nodes, func(n host.Node) bool {
		has, err := host.ListHas(at.Mems, n.ID)
		return n.Total > 0 && (err != nil || !has)
	}):
		return say.M("the server is restricted to the memory of NUMA nodes {nodes}", "nodes", at.Mems)
	}
	return why
}
