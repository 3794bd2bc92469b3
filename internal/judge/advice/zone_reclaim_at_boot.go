package advice

// ZoneReclaimAtBoot: the automatic switch was removed in Linux 3.16; node_reclaim_mode starts at zero from 4.18 to 6.18.
var ZoneReclaimAtBoot = Page{
	ID:    "zone-reclaim-at-boot",
	Kind:  NotSo,
	Title: "Linux no longer sets zone_reclaim_mode by itself",
	Names: []string{"zone_reclaim_mode_boot", "node_reclaim"},
	Read:  "Linux sets vm.zone_reclaim_mode above 0 at boot on machines where remote memory is far away",
	Since: "Linux 3.16",
	Text: []string{
		"It is 0 by default on every kernel that is in use, and only somebody's own file sets it. The dump that took 20 hours instead of " +
			"2 was measured with it on a kernel of that time. Look that nobody set it, and leave it at 0.",
	},
	Verify:  "cat /proc/sys/vm/zone_reclaim_mode.",
	Sources: []string{"linux-vm", "dalibo-j1"},
	See:     []string{"zone_reclaim", "sysctl:vm.zone_reclaim_mode"},
}
