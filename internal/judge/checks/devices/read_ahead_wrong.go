package devices

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// ReadAheadWrong names only what is wrong for every load: between 128 kB and
// some MB the right value depends on how much is scanned. What counts is the
// device that the filesystem is on, not the disks below it. A loop device and memory
// have no disk of their own to wait for, and over a network a large window pays.
var ReadAheadWrong = check.Check{
	ID:       "read_ahead_wrong",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The kernel reads ahead not at all, or far too much",
	Why: "Up to PostgreSQL 17 a sequential scan asks for one block at a time, or for a few, and it is the kernel's " +
		"read-ahead that makes large reads of them; switched off, every scan waits for the disk block by block. " +
		"With a huge window each scan that ends early has read megabytes for nothing, which push other files out of " +
		"the cache.",
	Do: "Run blockdev --setra 256 (in sectors of 512 bytes: 128 kB, the kernel's default; 8192 for a host that " +
		"scans on rotating disks) with the device, measure, and make it last by a rule in /etc/udev/rules.d that " +
		"sets the " +
		"attribute queue/read_ahead_kb. Where tuned runs, set readahead in its profile.",
	Sources: []string{"linux-block", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		for i := range list {
			for len(list[i].Chain) > 1 && list[i].Chain[0].Kind == "partition" {
				list[i].Chain = list[i].Chain[1:] // a partition has the window of its disk
			}
			list[i].Chain = list[i].Chain[:1]
		}
		for _, u := range volumes.Devices(list) {
			check.Need(c, u.ReadAhead)
		}
		seen := volumes.OnDevices(list, func(b host.Block) string {
			v, ok := b.ReadAhead.Get()
			switch {
			case b.Kind == "loop" || b.Kind == "zram":
			case ok && v == 0:
				return "none on " + volumes.DeviceName(b)
			case ok && v >= limits.ReadAheadMost && !b.Network():
				return v.String() + " on " + volumes.DeviceName(b)
			}
			return ""
		})
		if seen != "" {
			c.Found("Read-ahead: {disks}.", "disks", seen)
		}
	},
}
