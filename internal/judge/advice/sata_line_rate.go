package advice

// SataLineRate: 6 Gbit/s carry 10 line bits for each 8 of data.
var SataLineRate = Page{
	ID:    "sata-line-rate",
	Kind:  NotSo,
	Title: "SATA III carries 600 MB/s at most",
	Names: []string{"sata_iii", "6gbit"},
	Read:  "SATA III with its 6 Gbit/s carries about 750 MB/s",
	Text: []string{
		"Ten bits travel for every eight of data, so 6 Gbit/s are 600 MB/s, and a good disk shows about 550. SAS-4 with 22.5 Gbit/s " +
			"carries about 2.4 GB/s. A full scan of a big table is bound by this line long before memory or processor.",
	},
	Verify:  "fio with 1 MB sequential reads and a queue depth of 32.",
	Sources: []string{"rotation-arithmetic", "dalibo-j1"},
}
