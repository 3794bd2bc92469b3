package advice

// FilesystemChoice: the documentation expects no major difference between filesystems.
var FilesystemChoice = Page{
	ID:    "filesystem-choice",
	Kind:  Advice,
	Title: "ext4 or XFS; ZFS and btrfs with their own rules",
	Names: []string{"filesystem", "ext4", "xfs", "zfs", "btrfs", "recordsize", "nocow"},
	Text: []string{
		"ext4 and XFS do equally well. ZFS and btrfs offer snapshots and checksums and write more slowly, as they never write in place.",
		"On both switch wal_init_zero and wal_recycle off. On ZFS choose recordsize and compression by a test, and leave full_page_writes " +
			"on unless atomic writes of 8 kB are proved. On btrfs a folder without copy-on-write has no checksums either, and posix_fallocate " +
			"keeps new blocks uncompressed; the last minor releases of 16 to 18 have file_extend_method = write_zeros for that.",
	},
	Sources: []string{"pg-creating-cluster", "pg-config-wal", "dalibo-j1"},
	See:     []string{"pg:wal_init_zero", "pg:wal_recycle", "full_page_writes_off"},
}
