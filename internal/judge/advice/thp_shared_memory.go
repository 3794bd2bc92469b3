package advice

// ThpSharedMemory: the main segment is a shared anonymous mapping, so shmem_enabled governs it.
var ThpSharedMemory = Page{
	ID:    "thp-shared-memory",
	Kind:  Advice,
	Title: "Transparent huge pages do not reach shared_buffers",
	Names: []string{"shmem_enabled", "transparent_hugepage/shmem_enabled", "madv_hugepage"},
	Text: []string{
		"The server's shared memory is governed by transparent_hugepage/shmem_enabled, which is never by default, and not by enabled. " +
			"always, within_size or force there would apply transparent pages to it. PostgreSQL never asks for them with madvise, so advise " +
			"changes nothing. Explicit huge pages are the way for shared_buffers.",
	},
	Verify:  "cat /sys/kernel/mm/transparent_hugepage/shmem_enabled; ShmemHugePages in /proc/meminfo.",
	Sources: []string{"linux-thp", "dalibo-j1"},
	See:     []string{"thp:enabled", "thp_always", "pg:huge_pages"},
}
