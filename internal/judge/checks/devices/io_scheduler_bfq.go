package devices

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// IoSchedulerBfq reports the one scheduler that is wrong for a server on any
// disk: which of the others is best, the plan decides.
var IoSchedulerBfq = check.Check{
	ID:       "io_scheduler_bfq",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "BFQ I/O scheduler on a database disk",
	Why: "BFQ shares a disk fairly among processes and favors interactive ones. It keeps the disk idle while it " +
		"waits for the next request of a process, and treats the backends of a server as many processes. Its CPU " +
		"cost per request alone reduces throughput on flash. The kernel default is none for multi-queue disks and " +
		"mq-deadline for the others.",
	Do: "1. Switch the scheduler now (write none for NVMe and virtual disks): echo mq-deadline > " +
		"/sys/block/DISK/queue/scheduler\n2. Make it persistent with a rule in /etc/udev/rules.d that sets the " +
		"attribute queue/scheduler of the disk. The boot parameter elevator= has had no effect since Linux 5.0.",
	Sources: []string{"linux-block", "linux-bfq", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		for _, u := range volumes.Devices(list) {
			if u.Kind == "disk" {
				check.Need(c, u.Scheduler)
			}
		}
		seen := volumes.OnDevices(list, func(d volumes.Device) say.Message {
			if v, ok := d.Scheduler.Get(); ok && v == "bfq" {
				return say.M("{disk}: bfq ({directories})", "disk", d.Name, "directories", d.Directories())
			}
			return say.Message{}
		})
		if len(seen.Items) > 0 {
			c.Found("{disks}.", "disks", seen)
		}
	},
}
