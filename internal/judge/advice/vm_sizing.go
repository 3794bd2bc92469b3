package advice

// VmSizing: "at least four cores" is a number without a reason; the comparison with the physical cores has one.
var VmSizing = Page{
	ID:    "vm-sizing",
	Kind:  Advice,
	Title: "Virtual processors: no more than there are",
	Names: []string{"steal", "vcpus", "vm_cores"},
	Text: []string{
		"Give a machine no more virtual processors than the host has physical cores, and keep the sum over its machines near that as well " +
			"when they are busy together. Start with what the active sessions need; a smallest number that fits everybody does not exist.",
		"Steal is time that the machine wanted to run and did not get. Above 5 to 10 % for minutes it is the hypervisor's problem, and no " +
			"setting of PostgreSQL helps.",
	},
	Verify:  "vmstat 1, column st; or the eighth number of the line cpu in /proc/stat.",
	Sources: []string{"dalibo-j1"},
	See:     []string{"co-scheduling", "cores-and-queries"},
}
