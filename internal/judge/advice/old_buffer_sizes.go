package advice

// OldBufferSizes: the article is of 2015 with advice from machines of 512 MB.
var OldBufferSizes = Page{
	ID:    "old-buffer-sizes",
	Kind:  NotSo,
	Title: "shared_buffers in gigabytes, wal_buffers by itself",
	Names: []string{"shared_buffers_8kb", "shared_buffers_400mb", "wal_buffers_256kb"},
	Read:  "shared_buffers should be 8 to 160 MB, or 400 MB on a server with 8 GB, and wal_buffers 256 to 1,024 kB",
	Since: "PostgreSQL 9.1, which sizes wal_buffers by itself,",
	Text: []string{
		"A quarter of the memory is where to start: 8 GB give 2 GB. Up to 40 % may be right, below 1 GB of memory a smaller share. A " +
			"number without a unit is counted in pages of 8 kB.",
		"wal_buffers = -1 takes a 32nd of shared_buffers up to one WAL segment, 16 MB as a rule. More helps only with very many commits " +
			"at once, when wal_buffers_full of pg_stat_wal grows.",
	},
	Verify:  "SHOW shared_buffers; SHOW wal_buffers;",
	Sources: []string{"pg-config-resource", "pg-config-wal", "article-1c"},
	See:     []string{"pg:shared_buffers", "pg:wal_buffers", "shared_buffers_default"},
}
