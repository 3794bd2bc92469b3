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
	Title:    "Disk read-ahead is off or excessive",
	Why: "In PostgreSQL 17 and earlier, a sequential scan requests one block or a few at a time, and kernel " +
		"read-ahead turns them into large reads. Without it, each scan waits for the disk block by block. With a " +
		"huge window, a scan that ends early reads megabytes in vain, and they evict other files from the page " +
		"cache.",
	Do: "1. Set the kernel default of 128 kB (256 sectors of 512 bytes; use 8192 for a host that scans rotating " +
		"disks): blockdev --setra 256 DEVICE\n" +
		"2. Measure your scans.\n" +
		"3. Make it persistent with a rule in /etc/udev/rules.d that sets the attribute queue/read_ahead_kb. If " +
		"TuneD runs, set readahead in its profile instead.",
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
