package devices

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// MdWriteHole is a notice: it takes a crash and a lost disk together.
var MdWriteHole = check.Check{
	ID:       "md_write_hole",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "A crash can leave the parity of the array wrong",
	Why: "A stripe of RAID 4, 5 or 6 is written to several disks, one after the other. A crash in between leaves a " +
		"parity that does not fit, and when " +
		"a disk fails before the array is checked, blocks that nobody was writing are computed wrong from it: the " +
		"write hole. " +
		"full_page_writes repairs only the pages that PostgreSQL itself was writing. A bitmap only makes the check " +
		"after the crash shorter.",
	Do: "For RAID 5 give the array a partial parity log: mdadm --grow --consistency-policy=ppl with the array (it " +
		"costs writes). For RAID 6, or without " +
		"that cost, a journal on flash that is itself mirrored: mdadm --manage --add-journal, with the array " +
		"read-only. Or plan for RAID 10.",
	Sources: []string{"linux-md-ppl", "linux-md"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		for _, u := range volumes.Devices(list) {
			if u.MDLevel == "raid4" || u.MDLevel == "raid5" || u.MDLevel == "raid6" {
				check.Need(c, u.MDPolicy)
			}
		}
		seen := volumes.OnDevices(list, func(b host.Block) string {
			p, ok := b.MDPolicy.Get()
			if !ok || p == "journal" || p == "ppl" || b.MDLevel != "raid4" && b.MDLevel != "raid5" &&
				b.MDLevel != "raid6" {
				return ""
			}
			return b.Name + " (" + b.MDLevel + ", consistency policy " + p + ")"
		})
		if seen != "" {
			c.Found("Without a journal: {arrays}.", "arrays", seen)
		}
	},
}
