package advice

// DiskClass: the error timeout is the one property of consumer disks that hurts a database at once.
var DiskClass = Page{
	ID:    "disk-class",
	Kind:  Advice,
	Title: "Disks made for servers give up early",
	Names: []string{"desktop_disk", "scterc", "tler", "erc"},
	Text: []string{
		"A desktop disk may try for longer than 30 seconds to read a bad sector. The kernel's own timeout is 30 seconds, so it resets the " +
			"disk and the whole system stands still meanwhile. A disk for servers reports the error after some seconds and lets the array " +
			"answer.",
		"What else sets them apart: capacitors that save the cache at a power failure, and writes per day that the maker answers for.",
	},
	Verify:  "smartctl -l scterc /dev/sdX for disks; cat /sys/block/sdX/device/timeout for the kernel's patience.",
	Sources: []string{"dalibo-j1", "linux-block"},
	See:     []string{"write-cache"},
}
