package devices

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// MdWriteHole is a notice: it takes a crash and a lost disk together.
var MdWriteHole = check.Check{
	ID:       "md_write_hole",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "RAID write hole: array without journal or PPL",
	Why: "A stripe of RAID 4, 5 or 6 is written to several disks, one after the other, and a crash in between " +
		"leaves inconsistent parity. If a disk then fails before the array is resynced, blocks that were not " +
		"being written are reconstructed wrongly: the write hole. full_page_writes repairs only pages that " +
		"PostgreSQL was writing. A bitmap only shortens the resync after the crash.",
	Do: "1. For RAID 5, enable a partial parity log (it slows writes): mdadm --grow --consistency-policy=ppl " +
		"/dev/mdN\n" +
		"2. For RAID 4 or 6, or to avoid that cost, add a journal on mirrored flash while the array is read-only: " +
		"mdadm --manage /dev/mdN --add-journal JOURNAL_DEVICE\n" +
		"3. Otherwise, plan for RAID 10.",
	Sources: []string{"linux-md-ppl", "linux-md"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		for _, u := range volumes.Devices(list) {
			if u.MDLevel == "raid4" || u.MDLevel == "raid5" || u.MDLevel == "raid6" {
				check.Need(c, u.MDPolicy)
			}
		}
		seen := volumes.OnDevices(list, func(d volumes.Device) say.Message {
			p, ok := d.MDPolicy.Get()
			if !ok || p == "journal" || p == "ppl" || d.MDLevel != "raid4" && d.MDLevel != "raid5" &&
				d.MDLevel != "raid6" {
				return say.Message{}
			}
			return say.M("{array} ({level}): consistency policy {policy} ({directories})", "array", d.Name, "level",
				d.MDLevel, "policy", p, "directories", d.Directories())
		})
		if len(seen.Items) > 0 {
			c.Found("{arrays}.", "arrays", seen)
		}
	},
}
