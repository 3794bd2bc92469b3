package oom

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
)

// restricted is the cause if a cpuset or a memory policy left some NUMA nodes only.
func (c *oomCase) restricted() Cause {
	r := c.report
	o := Cause{ID: oomNodes, Evidence: []say.Message{say.M("constraint: {name}", "name", string(r.Constraint))}}
	zone, free := c.freeThere()
	switch {
	case free > 0:
		o.Text = say.M("NUMA restriction: the process is allowed to use only these nodes: {nodes}. {free} was free "+
			"there, in the zone {zone}, but the kernel did not use it for this request.", "nodes", r.Nodes, "free",
			free, "zone", zone)
		if zone == "Movable" {
			o.Evidence = append(o.Evidence, say.M("the kernel does not use the zone Movable for its own memory, "+
				"such as page tables and slab"))
		}
	case r.Nodes != "":
		o.Text = say.M("NUMA restriction: the nodes that the process is allowed to use ({nodes}) were out of memory. "+
			"Other nodes can have had free memory.", "nodes", r.Nodes)
	default:
		o.Text = say.M("NUMA restriction: the nodes that the process is allowed to use were out of memory. Other " +
			"nodes can have had free memory.")
	}
	return o
}

// oomFreeThere is the free memory above its high watermark from which a zone is not out of memory: 16 requests of the
// largest order (10: 4 MB), so that what was freed while the report was written does not make it so.
const oomFreeThere = 64 * unit.MB

// freeThere is the zone of the allowed nodes with the most free memory, if it is not out of memory.
func (c *oomCase) freeThere() (zone string, free unit.Bytes) {
	for _, z := range c.report.Zones {
		if in, err := host.ListHas(c.report.Nodes, z.Node); err != nil || !in {
			continue
		}
		if z.Free > z.High+oomFreeThere && z.Free > free {
			zone, free = z.Name, z.Free
		}
	}
	return zone, free
}

// unrestrict advises against the restriction.
func (c *oomCase) unrestrict() {
	what := say.M("Do not restrict the server to some NUMA nodes")
	if !c.server() {
		what = say.M("Do not restrict the process to some NUMA nodes")
	}
	show := "cat /sys/fs/cgroup/CGROUP/cpuset.mems"
	commands := []string{show, "numactl --show"}
	if c.report.Constraint == kernlog.Policy && !c.server() {
		commands = commands[1:]
	}
	c.add("report", what, say.M("it cannot use memory of the other nodes, and the OOM killer can run while they have "+
		"free memory"), commands...)
}
