package advice

// HugePageSizeSetting: huge_page_size is of 14; 0 is its default in 14 to 18.
var HugePageSizeSetting = Page{
	ID:    "huge-page-size-setting",
	Kind:  Advice,
	Title: "huge_page_size stays 0 unless memory is counted in hundreds of gigabytes",
	Names: []string{"huge_page_size"},
	Text: []string{
		"From 14 on huge_page_size chooses among the sizes that the kernel offers; 0 takes the system's default, 2 MB on x86. Pages of 1 " +
			"GB must be reserved at boot, round shared memory up to whole gigabytes, and gain little over 2 MB ones: a table for 100 GB is " +
			"400 kB a process with 2 MB pages.",
	},
	Verify:  "SHOW huge_page_size; ls /sys/kernel/mm/hugepages.",
	Sources: []string{"pg-config-resource", "linux-hugetlb", "dalibo-j1"},
	See:     []string{"pg:huge_pages", "page-sizes"},
}
