package advice

// SwappinessZero: vm.rst words it the same way in 4.19 and 6.18.
var SwappinessZero = Page{
	ID:    "swappiness-zero",
	Kind:  NotSo,
	Title: "swappiness 0 does not switch swap off",
	Names: []string{"swappiness=0", "swappiness_0"},
	Read:  "vm.swappiness = 0 disables swap completely",
	Text: []string{
		"At 0 the kernel leaves anonymous memory alone until free pages and file pages of a zone together fall below its high watermark; " +
			"then it swaps. So swap stays usable. The advice to stay above 0 is good for another reason: at 0 the file cache is squeezed out " +
			"first and the OOM killer comes sooner. Take 1 to 10.",
	},
	Verify:  "swapoff -a is what disables swap; /proc/vmstat pswpout counts pages swapped out, at any swappiness.",
	Sources: []string{"linux-vm", "dalibo-j1"},
	See:     []string{"sysctl:vm.swappiness", "swap_none"},
}
