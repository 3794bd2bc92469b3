package advice

// CpuCaches: row of a table from the years when a third cache was rare.
var CpuCaches = Page{
	ID:    "cpu-caches",
	Kind:  NotSo,
	Title: "Every server processor has a third-level cache",
	Names: []string{"l3_cache", "l3"},
	Read:  "only some processors have a third cache, so that its presence decides the purchase",
	Since: "the server processors of about 2009",
	Text: []string{
		"All of today's server processors have one. What differs is its size and how it is divided: on a processor made of several " +
			"chiplets each group of cores has its own part, and a process that moves between groups begins with a cold one.",
	},
	Verify:  "lscpu, the line L3, with its number of instances.",
	Sources: []string{"dalibo-j1"},
	See:     []string{"choosing-cpus", "numa-nodes"},
}
