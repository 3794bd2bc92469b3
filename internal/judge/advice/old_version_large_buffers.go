package advice

// OldVersionLargeBuffers: the scalability work in 9.5 to 9.6 and 14 is told in the release notes.
var OldVersionLargeBuffers = Page{
	ID:    "old-version-large-buffers",
	Kind:  NotSo,
	Title: "Large shared_buffers are no longer suspicious in themselves",
	Names: []string{"9.3", "large_shared_buffers", "clock_sweep"},
	Read: "with an old version, and 16 GB of shared_buffers for 1,500 connections, the size of shared_buffers itself is what makes the " +
		"server stall",
	Since: "PostgreSQL 9.6",
	Text: []string{
		"Finding a free buffer scales since 9.5 and 9.6, and snapshots for many connections since 14. What has not changed is page " +
			"tables: on 4 kB pages 16 GB touched by 1,500 connections are up to 47 GB of tables in any version. When buffers are hit and not " +
			"read and the machine still stalls, eviction is not the cause; look at the page tables.",
		"What helps, in this order: huge pages, fewer connections through a pooler, a current version; smaller shared_buffers only as the " +
			"last resort.",
	},
	Verify:  "EXPLAIN (ANALYZE, BUFFERS) of the slow statement when it is fast and when it is slow: the same hits mean no eviction.",
	Sources: []string{"pg-release-old", "blog-page-tables", "linux-page-tables"},
	See:     []string{"page_tables_large", "pg:huge_pages", "connection-pooling", "vmpte"},
}
