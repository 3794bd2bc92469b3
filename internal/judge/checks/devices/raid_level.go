package devices

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// RaidLevel takes an array without redundancy for a fault only where its disks
// are disks: a cloud's volumes are copied below, and striping over them is the
// way to more throughput that the clouds themselves describe.
var RaidLevel = check.Check{
	ID:       "raid_level",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "RAID level unsuitable for a database",
	Why: "RAID 0 and linear arrays lose everything when one disk fails, and each additional disk makes that more " +
		"likely. RAID 4, 5 and 6 survive it, but each small write also reads and writes parity: four disk " +
		"operations in RAID 5, six in RAID 6, two in a mirror. Checkpoints and WAL are such writes.",
	Do: "1. At the next hardware change, plan the move to RAID 10, or to RAID 1 for the WAL or for two disks. It " +
		"needs a new array and a copy of the data.\n" +
		"2. Until then, parity is acceptable on flash. No redundancy is acceptable only if a standby can take " +
		"over at any time.",
	Sources: []string{"dalibo-j1", "linux-md"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		dm, _ := c.Snapshot.Host.Mapped.Get()
		level := func(b host.Block) string {
			if m, ok := volumes.Mapped(dm, b); ok && m.Target == "striped" {
				return "raid0"
			} else if ok && m.Target == "raid" {
				l, _, _ := strings.Cut(m.Level, "_")
				return l
			}
			return b.MDLevel
		}
		none := volumes.OnDevices(list, func(b host.Block) string {
			if l := level(b); l == "raid0" || l == "linear" && b.Kind == "md" {
				return volumes.DeviceName(b) + " is " + l
			}
			return ""
		})
		parity := volumes.OnDevices(list, func(b host.Block) string {
			if l := level(b); l == "raid4" || l == "raid5" || l == "raid6" {
				return volumes.DeviceName(b) + " is " + l
			}
			return ""
		})
		switch {
		case none != "" && volumes.Physical(c):
			c.FoundAs(check.Warning, "No redundancy: {devices}.", "devices", none)
		case none != "":
			c.FoundAs(check.Info,
				"No redundancy of its own: {devices}. Whether the volumes below have any is not visible from here.",
				"devices", none)
		}
		if parity != "" {
			c.Found("Parity: {devices}.", "devices", parity)
		}
	},
}
