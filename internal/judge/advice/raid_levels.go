package advice

// RaidLevels: the write penalty of parity is arithmetic: two reads and two writes for one small write.
var RaidLevels = Page{
	ID:    "raid-levels",
	Kind:  Advice,
	Title: "RAID 10 for data, RAID 1 for system and WAL",
	Names: []string{"raid", "raid0", "raid1", "raid5", "raid6", "raid10", "hot_spare"},
	Text: []string{
		"With parity a small write costs two reads and two writes (RAID 5) or three and three (RAID 6), and a rebuild reads every disk " +
			"that is left. RAID 10 writes twice and rebuilds from one disk. For loads that mostly read, and for all-flash arrays with a " +
			"protected cache, RAID 5 can be enough.",
		"RAID 1 is enough for the system and the WAL. RAID 0 loses everything with one disk: at most for temporary tablespaces. Keep a " +
			"spare disk in the array, and make somebody see when it is used.",
	},
	Verify:  "cat /proc/mdstat for software arrays; the controller's own tool for others.",
	Sources: []string{"dalibo-j1", "linux-md"},
	See:     []string{"write-cache", "md-raid"},
}
