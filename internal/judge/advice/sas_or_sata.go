package advice

// SasOrSata: what is bought for a database today is flash with protected caches.
var SasOrSata = Page{
	ID:    "sas-or-sata",
	Kind:  NotSo,
	Title: "Flash with power-loss protection is the usual disk of a database",
	Names: []string{"sas", "sata", "hdd", "hard_disk", "nvme"},
	Read:  "a database wants SAS disks, or else many SATA disks behind a hardware RAID controller",
	Since: "SSDs with power-loss protection (about 2015)",
	Text: []string{
		"NVMe or enterprise SATA/SAS flash with capacitors answers a flush in microseconds, and one device does more random reads than a " +
			"cabinet of turning disks. Turning disks remain right for backups, archives of WAL and cold data.",
		"The property to look for is power-loss protection, not the connector: without it each commit waits for the flash itself, or, " +
			"worse, does not.",
	},
	Verify:  "cat /sys/block/DEV/queue/rotational and queue/write_cache; then pg_test_fsync on that device.",
	Sources: []string{"pg-wal-reliability", "dalibo-j1"},
	See:     []string{"write-cache", "pg:random_page_cost"},
}
