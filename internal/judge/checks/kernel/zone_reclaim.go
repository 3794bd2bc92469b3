package kernel

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ZoneReclaim is silent on a host with one node, where the setting has no effect.
var ZoneReclaim = check.Check{
	ID:       "zone_reclaim",
	Area:     check.Kernel,
	Severity: check.Warning,
	Scope:    check.PerHost,
	Title:    "vm.zone_reclaim_mode is on",
	Why: "With vm.zone_reclaim_mode a full NUMA node drops its page cache before it uses memory of another " +
		"node. A database needs page cache on any node: the host reads pages from disk again while other " +
		"nodes have free memory. The kernel has left this mode off by default since 3.16.",
	Do: "1. Write into /etc/sysctl.d/60-postgresql.conf: vm.zone_reclaim_mode = 0\n" +
		"2. Run: sysctl --system\n" +
		"3. Find out what set it: grep -r zone_reclaim /etc/sysctl* /usr/lib/sysctl.d /etc/tuned\n" +
		"The change takes effect at once, without a restart.",
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
		c.Found("vm.zone_reclaim_mode = {mode}, NUMA nodes: {nodes}.", "mode", strconv.FormatInt(n, 10), "nodes",
			len(nodes))
	},
}
