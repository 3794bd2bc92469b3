package advice

// ThpAtBoot: cron's @reboot runs when cron starts, which may be after the server.
var ThpAtBoot = Page{
	ID:    "thp-at-boot",
	Kind:  Advice,
	Title: "Switch transparent huge pages off before the server starts",
	Names: []string{"transparent_hugepage", "thp", "thp_defrag", "@reboot", "transparent_hugepage=never"},
	Text: []string{
		"The default of the kernel is always; RHEL and Debian keep it, Ubuntu and several cloud images use madvise, which is good enough " +
			"for PostgreSQL. Documentation discourages always: some users saw stalls. Other databases are no argument any more (MongoDB wants " +
			"them on since 8.0).",
		"An @reboot line of cron runs late, perhaps after the server. Better are the boot parameter transparent_hugepage=never " +
			"(update-grub on Debian, grubby on the RHEL family, then a reboot), a tmpfiles.d line, or a unit ordered before the server. Since " +
			"Linux 6.8 single sizes have files of their own, and MADV_COLLAPSE works even with never.",
	},
	Verify:  "cat /sys/kernel/mm/transparent_hugepage/enabled: the one in brackets is in force.",
	Sources: []string{"linux-thp", "pg-huge-pages", "dalibo-j1"},
	See:     []string{"thp:enabled", "thp_always", "crontab-user-field"},
}
