package advice

// NumaVm: 12 GB are less than the 64 GB of one node, whatever the rest of the host does.
var NumaVm = Page{
	ID:    "numa-vm",
	Kind:  NotSo,
	Title: "A virtual machine fits in one NUMA node when it is smaller than one",
	Names: []string{"numa_vm", "vnuma"},
	Read:  "on a host of two nodes with 64 GB each, a virtual machine of 12 GB has to use memory of the other node",
	Text: []string{
		"It fits in one. The example works only for machines above the 64 GB of a node, or when the node is full of other machines. The " +
			"rule behind it is right: processors and memory of a machine should come from one node, and a machine that is larger should see " +
			"the nodes (virtual NUMA).",
	},
	Verify:  "numactl --hardware on the host and in the guest.",
	Sources: []string{"dalibo-j1", "linux-vm"},
	See:     []string{"numa-nodes", "sysctl:kernel.numa_balancing"},
}
