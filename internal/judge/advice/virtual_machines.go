package advice

// VirtualMachines: the concrete risks of the old warning stand on pages of their own.
var VirtualMachines = Page{
	ID:    "virtual-machines",
	Kind:  NotSo,
	Title: "Virtual machines run databases well",
	Names: []string{"vm", "virtualisation", "virtualization", "hypervisor"},
	Read:  "a database should not run in a virtual machine",
	Since: "processors with nested page tables (about 2010)",
	Text: []string{
		"Nearly every managed PostgreSQL is a virtual machine. What the warning meant is still to be looked at one by one: memory that " +
			"the hypervisor takes back, processor time that it gives to others, flushes that it does not pass on, and a machine that is wider " +
			"than one NUMA node.",
	},
	Verify:  "systemd-detect-virt; the steal column of vmstat; pg_test_fsync.",
	Sources: []string{"dalibo-j1"},
	See:     []string{"vm-memory", "vm-sizing", "vm-disks", "write-cache"},
}
