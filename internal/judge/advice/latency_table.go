package advice

// LatencyTable: rotation gives the lower bound for disks: half a turn is 2 ms at 15,000 and 4.2 ms at 7,200 turns a minute.
var LatencyTable = Page{
	ID:    "latency-table",
	Kind:  NotSo,
	Title: "Memory takes about 100 ns and a disk some milliseconds",
	Names: []string{"latency", "ram_latency", "disk_latency", "seek_time"},
	Read:  "memory answers in 1 ns, a fast disk in 1 ms, a slow one in 5 ms, and that memory is ten thousand times faster than an SSD",
	Text: []string{
		"One nanosecond is the first cache of the processor. A load from memory takes about 80 to 120 ns on the own NUMA node and more on " +
			"another.",
		"A disk has to turn: half a turn is 2 ms at 15,000 and 4.2 ms at 7,200 turns a minute, and the arm moves first. Random reads take " +
			"about 4 to 6 ms and 9 to 12 ms.",
		"A flash device reads in 50 to 100 µs over NVMe (10 µs were Optane), about 100 µs over SATA. So memory is about a thousand times " +
			"faster than an SSD, not ten thousand. Take such a table for the order of sizes only, never as costs for the planner.",
	},
	Verify:  "Measure the own device: fio with one job, queue depth 1, 8 kB random reads.",
	Sources: []string{"rotation-arithmetic", "dalibo-j1"},
	See:     []string{"pg:random_page_cost"},
}
