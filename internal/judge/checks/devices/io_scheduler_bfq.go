package devices

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// IoSchedulerBfq names the one scheduler that is wrong for a server whatever
// the disk: which of the others is best is a matter of the plan.
var IoSchedulerBfq = check.Check{
	ID:       "io_scheduler_bfq",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The disk has a scheduler made for desktops",
	Why: "BFQ shares a disk fairly among programs and lets the one in the foreground go first: it holds the disk " +
		"idle in wait for the next request of a process, " +
		"and computes for every request. The many processes of a server are for it many programs. On flash the " +
		"computing alone lowers what the disk can do; the kernel's own " +
		"choice is none for disks with several queues and mq-deadline for the others.",
	Do: "Run echo mq-deadline > /sys/block/DISK/queue/scheduler (echo none for NVMe and virtual disks), and make it " +
		"last by a rule in /etc/udev/rules.d that sets the attribute " +
		"queue/scheduler of the disk. The boot parameter elevator= is gone since 5.0.",
	Sources: []string{"linux-block", "linux-bfq", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		for _, u := range volumes.Devices(list) {
			if u.Kind == "disk" {
				check.Need(c, u.Scheduler)
			}
		}
		seen := volumes.OnDevices(list, func(b host.Block) string {
			if v, ok := b.Scheduler.Get(); ok && v == "bfq" {
				return "bfq on " + b.Name
			}
			return ""
		})
		if seen != "" {
			c.Found("{disks}.", "disks", seen)
		}
	},
}
