package advice

// VmMemory: MemTotal moves with the balloon, so every share of memory that was computed from it moves too.
var VmMemory = Page{
	ID:    "vm-memory",
	Kind:  Advice,
	Title: "Memory of a database's virtual machine is reserved",
	Names: []string{"balloon", "virtio_balloon", "vmw_balloon", "memory_overcommit_hypervisor"},
	Text: []string{
		"A hypervisor that promised more memory than it has takes it back with a balloon or by swapping the guest, and neither the guest " +
			"nor PostgreSQL knows. Reserve the memory of the machine in full.",
		"A balloon changes MemTotal while the machine runs, and with it every limit that is a share of it, such as the commit limit.",
	},
	Verify:  "lsmod | grep balloon; the line Balloon: of /proc/meminfo on Linux 6.18 and later.",
	Sources: []string{"dalibo-j1", "linux-vm"},
	See:     []string{"psi_memory_pressure", "sysctl:vm.overcommit_kbytes"},
}
