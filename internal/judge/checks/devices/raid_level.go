package devices

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// RaidLevel reports an array without redundancy as a fault only if its disks are
// physical: cloud volumes are replicated by the provider, and providers themselves
// recommend striping over them for more throughput.
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
		text := func(d volumes.Device, level string) say.Message {
			return say.M("{device} is {level} ({directories})", "device", volumes.DeviceName(d.Block), "level", level,
				"directories", d.Directories())
		}
		none := volumes.OnDevices(list, func(d volumes.Device) say.Message {
			if l := level(d.Block); l == "raid0" || l == "linear" && d.Kind == "md" {
				return text(d, l)
			}
			return say.Message{}
		})
		parity := volumes.OnDevices(list, func(d volumes.Device) say.Message {
			if l := level(d.Block); l == "raid4" || l == "raid5" || l == "raid6" {
				return text(d, l)
			}
			return say.Message{}
		})
		switch {
		case len(none.Items) > 0 && volumes.Physical(c):
			c.FoundAs(check.Warning, "No redundancy: {devices}.", "devices", none)
		case len(none.Items) > 0:
			c.FoundAs(check.Info,
				"No redundancy in the array: {devices}. The redundancy of the underlying volumes is unknown.",
				"devices", none)
		}
		if len(parity.Items) > 0 {
			c.Found("Parity RAID: {devices}.", "devices", parity)
		}
	},
}
