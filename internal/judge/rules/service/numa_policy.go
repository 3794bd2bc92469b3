package service

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
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
	Title:   "which NUMA nodes the memory of the service is taken from",
	Why: "A page lies on the node of the process that touches it first. Whatever fills shared_buffers first, such " +
		"as a dump or pg_prewarm, fills one node, and that node then reclaims its page cache and swaps " +
		"while others have memory free. Interleaved, every node holds the same part. The memory of the sessions is " +
		"interleaved too: half of it is on the other of two nodes.",
	Formula: "interleave with all nodes that have memory, where there are two or more, shared_buffers is larger " +
		"than a quarter of the smallest of them, and a systemd unit runs the only instance; a policy that was " +
		"chosen in the unit stays. " +
		"Elsewhere the plan says why not. NUMAMask= is written together with it, as systemd does not start a " +
		"service with this policy and no nodes. It is in force from the server's next start.",
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
			c.Keep("with one NUMA node there is nothing to interleave")
			return
		case len(large) == 0:
			c.Keep("shared_buffers is at most a quarter of a NUMA node ({node}): one node can hold it beside all else",
				"node", least)
			return
		case known && rule.Interleaved(present.Setting):
			c.Keep("the memory is spread over the NUMA nodes already")
			return
		case known && !slices.Contains([]string{"n/a", "default", "local"}, present.Setting):
			c.Keep("{present} was chosen in the unit: it stays", "present", present.Setting)
			return
		}
		want := "interleave " + nodes
		if why := notInterleaved(c, large, known); why != "" {
			c.Warn(
				"shared_buffers of {buffers} is larger than a quarter of a NUMA node ({node}) and is not "+
					"interleaved by this plan: {why}. By hand: NUMAPolicy=interleave and NUMAMask={nodes}, both, in "+
					"a drop-in of the unit that starts the server, or numactl --interleave={nodes} before its command.",
				"buffers", large[0].buffers, "node", least, "why", why, "nodes", nodes)
			c.Keep("{why}", "why", why)
			return
		}
		c.Set(want,
			"shared_buffers of {buffers} is larger than a quarter of a NUMA node ({node}): what fills it first "+
				"would fill one node. It takes effect at the server's next start",
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
			continue // of processors alone
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

// notInterleaved says why the policy is not written, as a clause; "" where it is.
func notInterleaved(c *rule.Case, large []numaInstance, known bool) string {
	in := large[0].of
	manager, _ := in.Manager.Get()
	u, hasUnit := in.Unit.Get()
	nodes, _ := c.Snapshot.Host.Nodes.Get()
	at, _ := in.Placement.Get()
	switch v, ok := c.Snapshot.Host.Virt.Get(); {
	case ok && v.Container != "":
		return "this is a container, and the policy is that of the program that starts it on the host"
	case manager != "":
		return manager + " starts the server, and its own unit or pod has the policy"
	case !hasUnit || u.Name == "":
		return "it is not known which systemd unit starts the server"
	case len(c.Snapshot.Instances) > 1:
		return "several instances run here, and each unit has its own policy"
	case !known:
		return "systemd does not tell the NUMA policy of " + u.Name + ": it is older than 243, or was not asked"
	case at.Mems != "" && slices.ContainsFunc(nodes, func(n host.Node) bool {
		has, err := host.ListHas(at.Mems, n.ID)
		return n.Total > 0 && (err != nil || !has)
	}):
		return "the server may use the memory of the nodes " + at.Mems + " only"
	}
	return ""
}
