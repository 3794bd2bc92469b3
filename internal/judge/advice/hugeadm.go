package advice

// Hugeadm: libhugetlbfs left newer releases of the RHEL family.
var Hugeadm = Page{
	ID:    "hugeadm",
	Kind:  Advice,
	Title: "hugeadm is not needed",
	Names: []string{"hugeadm", "libhugetlbfs"},
	Text: []string{
		"The tools of libhugetlbfs show and set the pools of huge pages, and newer distributions no longer carry them. Everything they do " +
			"is in vm.nr_hugepages, /sys/kernel/mm/hugepages and /proc/meminfo.",
	},
	Verify:  "cat /sys/kernel/mm/hugepages/hugepages-2048kB/{nr,free,resv,surplus}_hugepages.",
	Sources: []string{"linux-hugetlb", "dalibo-j1"},
	See:     []string{"sysctl:vm.nr_hugepages"},
}
