package advice

// NumaNodes: on EPYC with NPS and Intel with SNC one socket shows several nodes.
var NumaNodes = Page{
	ID:    "numa-nodes",
	Kind:  Advice,
	Title: "Count NUMA nodes, not sockets",
	Names: []string{"numa", "physical_id", "lscpu", "sockets"},
	Text: []string{
		"What matters is the number of memory nodes. One socket may show several of them (NPS on EPYC, sub-NUMA clustering on Intel), and " +
			"arm64 has no line physical id in /proc/cpuinfo. With more than one node shared_buffers should be spread over them, or one node " +
			"fills up first.",
	},
	Verify:  "cat /sys/devices/system/node/online; numactl --hardware.",
	Sources: []string{"linux-vm", "dalibo-j1"},
	See:     []string{"zone_reclaim", "sysctl:kernel.numa_balancing", "sysctl:vm.zone_reclaim_mode"},
}
