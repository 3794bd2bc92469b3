package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ZoneReclaim is silent on a machine with one node, where the setting does
// nothing.
var ZoneReclaim = check.Check{
	ID:       "zone_reclaim",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "Memory of other NUMA nodes is spared at the cost of the cache",
	Why: "With vm.zone_reclaim_mode set, a node that is full throws out its cached files before it takes memory " +
		"from another node. A database wants its cache wherever it fits: the " +
		"host re-reads from disk what it could have kept, while half of its memory is free. Kernels have left this " +
		"off by themselves since 3.16.",
	Do: "Write vm.zone_reclaim_mode = 0 into /etc/sysctl.d/60-postgresql.conf and run sysctl --system; find with " +
		"grep -r zone_reclaim /etc/sysctl* /usr/lib/sysctl.d /etc/tuned what set it.",
	Commands: []check.Command{
		check.Conf("vm.zone_reclaim_mode = 0"),
		check.Shell("sysctl --system"),
		check.Shell("grep -r zone_reclaim /etc/sysctl* /usr/lib/sysctl.d /etc/tuned"),
	},
	Sources: []string{"linux-vm", "dalibo-j1"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("vm.zone_reclaim_mode"))
		if !ok || n == 0 {
			return
		}
		nodes, ok := check.Need(c, c.Snapshot.Host.Nodes)
		if !ok || len(nodes) < 2 {
			return
		}
		c.Found("vm.zone_reclaim_mode = {mode} with {nodes} NUMA nodes.", "mode", strconv.FormatInt(n, 10), "nodes",
			len(nodes))
	},
}
