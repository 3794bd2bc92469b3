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
	Title:    "A bad sector can throw a whole disk out of the array",
	Why: "A disk of the desktop class may try for minutes to read a bad sector. The kernel gives up after its own " +
		"timeout, 30 seconds by default, resets the disk " +
		"and takes it for dead: the array drops it, although the sector could have been read from another disk. " +
		"Often the next one " +
		"follows during the rebuild. Disks for servers answer within some seconds.",
	Do: "Run smartctl -l scterc,70,70 with each disk, at every boot (a udev rule). Where the disk refuses it, raise " +
		"the kernel's timeout instead: " +
		"echo 180 > /sys/block/DISK/device/timeout, by the same rule, and plan to replace the disk by one made for " +
		"servers.",
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
