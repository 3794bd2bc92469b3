package advice

// CoScheduling: strict co-scheduling belonged to ESX 2; KVM, Xen and Hyper-V schedule each virtual processor on its own.
var CoScheduling = Page{
	ID:    "co-scheduling",
	Kind:  NotSo,
	Title: "A virtual machine does not wait for all its processors at once",
	Names: []string{"strict_co-scheduling", "coscheduling"},
	Read:  "a virtual machine stands still until all its virtual processors can run at the same time",
	Since: "VMware ESX 3",
	Text: []string{
		"ESX has relaxed co-scheduling since then: processors that ran ahead wait, the others go on. KVM, Xen and Hyper-V never had the " +
			"rule. What is left is the ordinary competition for time, and steal shows it.",
	},
	Verify:  "vmstat 1, column st.",
	Sources: []string{"dalibo-j1"},
	See:     []string{"vm-sizing"},
}
