package advice

// SwapSize: fallocate works for swap on ext4 and XFS from 4.18 on.
var SwapSize = Page{
	ID:    "swap-size",
	Kind:  Advice,
	Title: "A small swap, made so that it is there after a reboot",
	Names: []string{"swap", "swapfile", "mkswap", "swapon", "fallocate"},
	Text: []string{
		"Some gigabytes (1 to 4, on large machines up to 8) let the kernel put aside what nobody uses, and show early that memory gets " +
			"short. None gives no warning; a large one lets a server crawl for an hour before anything gives way. Where memory is short for " +
			"good, more swap does avoid some kills, at the price of speed.",
		"A swap file needs its space allocated, mode 0600, mkswap, swapon, and a line in /etc/fstab: without that line it is gone after " +
			"the next boot. fallocate is fine on ext4 and XFS; on btrfs the file must not be copied on write, on ZFS use a volume or another " +
			"filesystem. dd works everywhere else.",
	},
	Verify:  "swapon --show; vmstat 1, columns si and so.",
	Sources: []string{"pg-overcommit", "linux-vm", "dalibo-j1"},
	See:     []string{"swap_none", "swap_in_use_by_postgres", "sysctl:vm.swappiness"},
}
