package devices

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// patience is how long a desktop disk may retry a bad sector, in seconds: vendors
// name up to two minutes, and the usual advice is to wait for three.
const patience = 180

// DiskErrorTimeout looks only at disks of md arrays, which have another copy
// of the sector: without one, a long retry is the only way to read it.
var DiskErrorTimeout = check.Check{
	ID:       "disk_error_timeout",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Disk error recovery (ERC) outlasts the kernel timeout",
	Why: "A desktop disk can retry a bad sector for minutes. The kernel stops waiting after its own timeout (30 s " +
		"by default), resets the disk and treats it as failed. The array drops the disk, although another disk " +
		"has the sector, and often a second disk follows during the rebuild. Server disks return an error within " +
		"seconds.",
	Do: "1. Limit error recovery to 7 s on each disk: smartctl -l scterc,70,70 /dev/DISK\n" +
		"2. Repeat it at each boot, for example with a udev rule.\n" +
		"3. If the disk does not support it, raise the kernel timeout with the same rule: echo 180 > " +
		"/sys/block/DISK/device/timeout\n" +
		"4. Plan to replace such a disk with a server disk.",
	Sources: []string{"linux-md", "smartctl", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		if !volumes.Physical(c) {
			return // a virtual disk has no sectors
		}
		arrays := false
		for _, u := range volumes.Devices(list) {
			arrays = arrays || u.Kind == "md"
		}
		if !arrays {
			return
		}
		ercs, ok := check.Need(c, c.Snapshot.Host.ERCs)
		if !ok {
			return
		}
		seen := volumes.OnDevices(list, func(d volumes.Device) say.Message {
			timeout, ok := d.Timeout.Get()
			if !ok {
				return say.Message{}
			}
			pairs := []any{"disk", d.Name, "timeout", say.Span(timeout), "directories", d.Directories()}
			for _, e := range ercs {
				switch {
				case e.Disk != d.Name:
				case e.Says == "limited" && e.Limit >= float64(timeout):
					return say.M("{disk}: error recovery up to {limit}, kernel timeout {timeout} ({directories})",
						append(pairs, "limit", say.Span(e.Limit))...)
				case e.Says == "disabled" && timeout < patience:
					return say.M("{disk}: error recovery without limit (ERC disabled), kernel timeout {timeout} "+
						"({directories})", pairs...)
				case e.Says != "limited" && timeout < patience:
					return say.M("{disk}: error recovery without limit (ERC not supported), kernel timeout {timeout} "+
						"({directories})", pairs...)
				}
			}
			return say.Message{}
		})
		if len(seen.Items) > 0 {
			c.Found("{disks}.", "disks", seen)
		}
	},
}
