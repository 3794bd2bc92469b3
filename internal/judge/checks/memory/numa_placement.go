package memory

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// NumaPlacement judges a cpuset that restricts the server. A memory policy that it
// has set (numactl --interleave) restricts nothing and is as it should be.
var NumaPlacement = check.Check{
	ID:       "numa_placement",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	DependsOn: []string{"shared_buffers_vs_memory", "cgroup_limit_below_plan", "work_mem_vs_memory",
		"temp_buffers_vs_memory"},
	Title: "Server restricted to some NUMA nodes (cpuset)",
	Why: "A cpuset binds the memory of a process to some NUMA nodes. When these are full, the kernel swaps or " +
		"kills there while other nodes have free memory, and no figure of the whole host shows it. If the " +
		"CPUs belong to other nodes than the memory, every memory access is remote.",
	Do: "1. Remove AllowedMemoryNodes= and AllowedCPUs= from the unit, or cpuset.mems and cpuset.cpus from the " +
		"cgroup or the container.\n" +
		"2. Spread shared memory over all nodes. NODES is their list, such as 0 1; without it the service does not " +
		"start. Add under [Service]:\n" +
		"NUMAPolicy=interleave\n" +
		"NUMAMask=NODES\n" +
		"3. Restart the server.\n" +
		"If the restriction must stay, size shared_buffers, work_mem and huge pages for these nodes. Use CPUs and " +
		"memory of the same nodes.",
	Commands: []check.Command{
		check.Conf("NUMAPolicy=interleave"),
		check.Conf("NUMAMask={nodes}"),
	},
	Sources: []string{"linux-proc", "pg-config-resource"},
	Judge: func(c *check.Case) {
		nodes, ok := check.Need(c, c.Snapshot.Host.Nodes)
		if !ok || len(nodes) < 2 {
			return
		}
		at, ok := check.Need(c, c.Instance.Placement)
		if !ok {
			return
		}
		var allowed unit.Bytes
		mems, near := 0, false
		for _, n := range nodes {
			has, err := host.ListHas(at.Mems, n.ID)
			if err != nil || !has {
				continue
			}
			mems, allowed = mems+1, allowed+n.Total
			// a node whose CPUs are unknown counts as near
			near = near || n.CPUs == "" || overlap(n.CPUs, at.CPUs)
		}
		if mems == 0 || mems == len(nodes) {
			return
		}
		m, ok := c.AtPeak(c.Instance)
		if !ok {
			return
		}
		if sum := m.Parts().Sum(); sum > allowed {
			c.FoundDo(check.Warning, giveAllNodes,
				"Allowed NUMA nodes: {mems} ({allowed} of {total} RAM). Expected peak: {sum}, of which {shared} is "+
					"shared memory.",
				"mems", at.Mems, "allowed", allowed, "total", totalOf(nodes), "sum", sum, "shared", m.Shared,
				"nodes", idsOf(nodes))
			return
		}
		if !near {
			c.FoundDo(check.Notice, giveAllNodes,
				"Allowed CPUs: {cpus}, allowed NUMA nodes: {mems}. None of these CPUs belongs to these nodes.",
				"cpus", at.CPUs, "mems", at.Mems, "nodes", idsOf(nodes))
		}
	},
}

// idsOf lists the nodes that have memory, as systemd reads a list: "0 1".
func idsOf(nodes []host.Node) string {
	var ids []string
	for _, n := range nodes {
		if n.Total > 0 {
			ids = append(ids, strconv.Itoa(n.ID))
		}
	}
	return strings.Join(ids, " ")
}

func totalOf(nodes []host.Node) unit.Bytes {
	var sum unit.Bytes
	for _, n := range nodes {
		sum += n.Total
	}
	return sum
}

// giveAllNodes is what the check says to do, with the host's nodes.
const giveAllNodes say.Template = "1. Remove AllowedMemoryNodes= and AllowedCPUs= from the unit, or cpuset.mems and " +
	"cpuset.cpus from the cgroup or the container.\n" +
	"2. Spread shared memory over all nodes. Without NUMAMask= the service does not start. Add under [Service]:\n" +
	"NUMAPolicy=interleave\n" +
	"NUMAMask={nodes}\n" +
	"3. Restart the server.\n" +
	"If the restriction must stay, size shared_buffers, work_mem and huge pages for these nodes. Use CPUs and " +
	"memory of the same nodes."

// mostCPUs is the largest number of CPUs that a kernel can be built for.
const mostCPUs = 8192

// overlap reports whether two lists have a number in common.
func overlap(a, b string) bool {
	for i := range mostCPUs {
		x, err1 := host.ListHas(a, i)
		y, err2 := host.ListHas(b, i)
		if err1 != nil || err2 != nil {
			return true // what cannot be read counts as near
		}
		if x && y {
			return true
		}
	}
	return false
}
