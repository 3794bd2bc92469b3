package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var IOMethod = rule.Rule{
	Address: knob.PG("io_method"),
	Title:   "Asynchronous I/O method (worker, io_uring, sync)",
	Why: "PostgreSQL 18 can read ahead while a query runs, with I/O worker processes (worker) or with io_uring. The " +
		"latter requires a build with liburing, and the kernel or a container's seccomp filter may block it. With " +
		"sync, reads are synchronous, as in 17.",
	Formula: "worker if it is sync. worker and io_uring stay: which of them is faster depends on the disk, so the " +
		"plan only says where io_uring is possible (a build that accepts it, kernel.io_uring_disabled = 0, no " +
		"container) and names the experiment that measures it.",
	Sources: []string{"pg-config-resource", "pg-source-aio"},
	From:    18,
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have, _ := c.Text(knob.PG("io_method"))
		switch {
		case have == "worker" && ioUringPossible(c):
			c.Keep("worker reads ahead while the query runs. This build and this kernel also allow io_uring, which " +
				"is faster on some disks; measure it: pgfettle prove --experiment io-method")
		case have != "sync":
			c.Keep("{present} reads ahead while the query runs", "present", have)
		default:
			c.Set("worker",
				"with sync, each read waits for the one before it, as before 18; worker is the default and works on "+
					"every kernel")
		}
	},
}

// ioUringPossible reports whether nothing that is known is in the way of io_uring. In a container it is not known: its
// seccomp filter decides.
func ioUringPossible(c *rule.Case) bool {
	v, ok := c.Snapshot.Host.Virt.Get()
	disabled, known := c.Snapshot.Host.Sysctls.Int("kernel.io_uring_disabled").Get()
	return ok && v.Container == "" && known && disabled == 0 && c.Allows("io_method", "io_uring")
}
