package advice

// ChoosingCpus: nothing of this can be changed by a setting once the machine is bought.
var ChoosingCpus = Page{
	ID:    "choosing-cpus",
	Kind:  Advice,
	Title: "Which processors fit which load",
	Names: []string{"cpu", "64bit", "arm64"},
	Text: []string{
		"Many sessions with short statements (web, OLTP) want many cores; few sessions with long statements (a warehouse, science) want " +
			"fast cores and parallel workers. The brand matters less than the clock, the size of the last cache and the memory channels.",
		"Only 64-bit systems are worth considering. Pages are not 4 kB everywhere: arm64 and POWER kernels may use 64 kB, and then page " +
			"tables, huge pages and every figure in pages change. pgfettle reads the size and never assumes it.",
	},
	Verify:  "lscpu; getconf PAGESIZE.",
	Sources: []string{"dalibo-j1", "linux-hugetlb"},
}
