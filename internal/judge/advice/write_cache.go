package advice

// WriteCache: queue/write_cache is the kernel's own knowledge of whether a flush is needed.
var WriteCache = Page{
	ID:    "write-cache",
	Kind:  Advice,
	Title: "A cache may answer for a disk only when it survives a power failure",
	Names: []string{"write_cache", "bbu", "write-back", "write_back", "plp", "flush"},
	Text: []string{
		"A controller's read cache is always welcome. Its write-back cache is right with a battery or flash behind it, and data loss " +
			"without. Behind a controller the disks have caches of their own, which must be off or protected too.",
		"In virtual machines the chain is longer: the hypervisor has to pass on the flushes of the guest (fsync, fdatasync and FUA " +
			"writes; sync(2) is not what matters). A virtual disk in a mode such as cache=unsafe answers at once and loses what it said it " +
			"had.",
		"Plausibility tells: more than about 200 flushes a second from one turning disk, or more than about 100,000 from anything, come " +
			"from memory.",
	},
	Verify:  "cat /sys/block/DEV/queue/write_cache (\"write through\" needs no flush) and pg_test_fsync.",
	Sources: []string{"pg-wal-reliability", "linux-block", "dalibo-j1"},
	See:     []string{"nobarrier", "fsync_off"},
}
