package advice

// Noatime: atime_needs_update tests NOATIME before NODIRATIME for each inode; relatime is the default.
var Noatime = Page{
	ID:    "noatime",
	Kind:  Advice,
	Title: "noatime covers directories and gains little",
	Names: []string{"noatime", "nodiratime", "relatime", "atime"},
	Text: []string{
		"noatime includes nodiratime. As relatime is the default since Linux 2.6.30 most reads write no time anyway, so the gain is " +
			"small; it is free all the same. strictatime is what would hurt.",
	},
	Verify:  "findmnt -o TARGET,OPTIONS.",
	Sources: []string{"linux-vfs", "dalibo-j1"},
	See:     []string{"mount:*/options"},
}
