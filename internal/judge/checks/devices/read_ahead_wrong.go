package devices

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// ReadAheadWrong reports only what is wrong for every workload: between 128 kB and some MB, the best value depends on
// how much is scanned. What counts is the device that the filesystem is on, not the disks below it. Loop devices and
// memory have no disk, and over a network a large window is useful.
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
		seen := volumes.OnDevices(list, func(d volumes.Device) say.Message {
			v, ok := d.ReadAhead.Get()
			switch {
			case d.Kind == "loop" || d.Kind == "zram":
			case ok && v == 0:
				return say.M("off on {device} ({directories})", "device", volumes.DeviceName(d.Block), "directories",
					d.Directories())
			case ok && v >= limits.ReadAheadMost && !d.Network():
				return say.M("{size} on {device} ({directories})", "size", v, "device", volumes.DeviceName(d.Block),
					"directories", d.Directories())
			}
			return say.Message{}
		})
		if len(seen.Items) > 0 {
			c.Found("Read-ahead: {disks}.", "disks", seen)
		}
	},
}
