package advice

// Flashcache: Flashcache has had no release since 2017.
var Flashcache = Page{
	ID:    "flashcache",
	Kind:  NotSo,
	Title: "The database on flash, not a flash cache before disks",
	Names: []string{"flashcache", "bcache", "dm-cache", "lvmcache", "ssd_cache"},
	Read:  "an SSD as a cache before the disks, with Flashcache or bcache, is a good upgrade",
	Since: "the end of Flashcache (2017)",
	Text: []string{
		"Put the database on the SSD. Where a cache has to be, dm-cache (lvmcache) or bcache in writethrough mode only: with writeback " +
			"the loss of the cache is the loss of the filesystem, and flushes are as safe as the SSD's own cache.",
	},
	Verify:  "lsblk -o NAME,TYPE; cat /sys/block/bcache0/bcache/cache_mode.",
	Sources: []string{"article-1c", "linux-block"},
	See:     []string{"write-cache", "sas-or-sata"},
}
