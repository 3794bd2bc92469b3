package devices

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// patience is what a desktop disk may take over a bad sector, in seconds: its
// makers tell of up to two minutes, and the usual advice is to wait for three.
const patience = 180

// DiskErrorTimeout looks only at disks of md arrays, which have another copy
// of the sector: elsewhere a disk that tries for long is the last hope.
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
		seen := volumes.OnDevices(list, func(b host.Block) string {
			timeout, ok := b.Timeout.Get()
			if !ok {
				return ""
			}
			for _, e := range ercs {
				switch {
				case e.Disk != b.Name:
				case e.Says == "limited" && e.Limit >= float64(timeout):
					return fmt.Sprintf("%s tries for %.0f s and the kernel waits %d s", b.Name, e.Limit, timeout)
				case e.Says != "limited" && timeout < patience:
					return fmt.Sprintf("%s tries without a limit (error recovery control %s) and the kernel waits %d s",
						b.Name, e.Says, timeout)
				}
			}
			return ""
		})
		if seen != "" {
			c.Found("{disks}.", "disks", seen)
		}
	},
}
