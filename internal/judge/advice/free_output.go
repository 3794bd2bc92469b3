package advice

// FreeOutput: procps 3.3.10 (2014) changed the columns.
var FreeOutput = Page{
	ID:    "free-output",
	Kind:  NotSo,
	Title: "free shows available memory, not the line of buffers and cache",
	Names: []string{"free", "-/+_buffers/cache", "buffers/cache", "memavailable"},
	Read:  "free prints a line -/+ buffers/cache that tells what programs really use",
	Since: "procps 3.3.10 (2014)",
	Text: []string{
		"free prints one line for memory with the columns buff/cache and available. available is the kernel's own estimate of what can be " +
			"had without swapping, and it knows that shared memory stands in the cache and cannot be dropped. Programs should read " +
			"/proc/meminfo instead: MemAvailable, Cached, Shmem.",
	},
	Verify:  "free -m; grep -E 'MemAvailable|^Cached|Shmem:' /proc/meminfo.",
	Sources: []string{"procps-free", "dalibo-j1"},
	See:     []string{"effective-cache-size", "psi_memory_pressure"},
}
