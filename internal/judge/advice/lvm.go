package advice

// Lvm: the cost of old-style LVM snapshots is a copy of each block at its first change.
var Lvm = Page{
	ID:    "lvm",
	Kind:  Advice,
	Title: "LVM costs nothing, its snapshots do",
	Names: []string{"lvm", "snapshot", "thin_pool"},
	Text: []string{
		"The mapping of LVM is not measurable. A classic snapshot copies each block at its first change and makes writes several times " +
			"slower while it exists: take it, use it, remove it. A thin pool that runs full stops writes. RAID belongs below LVM, in md or " +
			"the controller.",
	},
	Verify:  "lvs -o +snap_percent,data_percent.",
	Sources: []string{"dalibo-j1", "linux-md"},
	See:     []string{"raid-levels"},
}
