package advice

// NobarrierXfs: XFS lists barrier and nobarrier among its removed options; ext4 still takes them in 6.18.
var NobarrierXfs = Page{
	ID:    "nobarrier-xfs",
	Kind:  NotSo,
	Title: "XFS has no nobarrier any more, and nobody needs it",
	Names: []string{"nobarrier", "barrier=0", "barrier"},
	Read:  "nobarrier makes commits faster and is allowed when every cache has a battery",
	Since: "Linux 4.19",
	Text: []string{
		"XFS ignored the option from 4.10 and refuses to mount with it since 4.19: a line of /etc/fstab that has it leaves the machine " +
			"without its data at the next boot. ext4 still accepts nobarrier and barrier=0. With a protected cache the device says write " +
			"through, flushes are free and the option gains nothing; without one it loses committed data.",
	},
	Verify:  "grep -E 'nobarrier|barrier=0' /etc/fstab /proc/mounts; cat /sys/block/DEV/queue/write_cache.",
	Sources: []string{"linux-xfs", "linux-ext4", "pg-wal-reliability", "dalibo-j1"},
	See:     []string{"nobarrier", "write-cache"},
}
