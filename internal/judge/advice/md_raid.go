package advice

// MdRaid: what is left of the old warning is the write hole.
var MdRaid = Page{
	ID:    "md-raid",
	Kind:  NotSo,
	Title: "Software RAID serves databases well",
	Names: []string{"mdadm", "software_raid", "md"},
	Read:  "software RAID is not for production",
	Since: "NVMe devices, which have no RAID controller,",
	Text: []string{
		"md RAID 1 and RAID 10 are standard for NVMe. What remains true is for parity: RAID 5 and 6 have a write hole, after a crash " +
			"parity and data may disagree, which --write-journal or PPL (mdadm --consistency-policy=ppl) closes; and parity costs processor " +
			"time at high rates.",
		"An array that nobody watches is no array: let mdadm --monitor send mail.",
	},
	Verify:  "cat /proc/mdstat; mdadm --detail /dev/mdN.",
	Sources: []string{"linux-md", "dalibo-j1"},
	See:     []string{"raid-levels"},
}
