package advice

// SwappinessDefaults: 60 stands in mm/vmscan.c; 30 and 10 come from TuneD profiles; 100 and 200 are the bounds before and since 5.8.
var SwappinessDefaults = Page{
	ID:    "swappiness-defaults",
	Kind:  Advice,
	Title: "The kernel's swappiness is 60 everywhere",
	Names: []string{"swappiness_30", "swappiness_range", "memory.swappiness"},
	Text: []string{
		"Where a system shows 30 or 10, TuneD set it (virtual-guest and throughput-performance). Between 1 and 10 is right for a database " +
			"server. The range is 0 to 100 up to Linux 5.7 and 0 to 200 from 5.8 on, where values above 100 are for compressed swap in memory " +
			"(zram, zswap). A control group of version 1 has its own memory.swappiness, which wins.",
	},
	Verify:  "cat /proc/sys/vm/swappiness; tuned-adm active.",
	Sources: []string{"linux-vm", "tuned-postgresql", "dalibo-j1"},
	See:     []string{"sysctl:vm.swappiness", "swappiness_high"},
}
