package durability

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// VolatileWriteCache looks for a kernel that was told to believe what the disk
// itself does not say. A volatile cache alone is no fault: nearly every disk has
// one, and the kernel flushes it when fsync asks for it.
var VolatileWriteCache = check.Check{
	ID:       "volatile_write_cache",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "The kernel was told that a disk has no volatile cache",
	Why: "The disk says that it keeps writes in a cache and answers before they are safe. Somebody wrote «write " +
		"through» into its queue, so that the kernel sends no " +
		"flush any more. fsync then returns while the data is only in that cache, and a power failure takes it, in " +
		"any order: committed transactions, and the " +
		"order between WAL and data files. It is safe only where a battery or capacitors keep the cache, and there " +
		"a flush costs next to nothing.",
	Do: "Write it back: echo 'write back' > /sys/block/DISK/queue/write_cache, and remove the udev rule or the " +
		"script that changed it (grep -r write_cache " +
		"/etc). If the controller's cache has a working battery, let the controller itself say write through.",
	Sources: []string{"pg-wal-reliability", "linux-block"},
	Judge: func(c *check.Case) {
		seen := volumes.OnDevices(volumes.Stacks(c), func(b host.Block) string {
			own, ok1 := b.OwnCache.Get()
			queue, ok2 := b.WriteCache.Get()
			if ok1 && ok2 && strings.HasPrefix(own, "write back") && queue == "write through" {
				return b.Name + " says «" + own + "», its queue «" + queue + "»"
			}
			return ""
		})
		if seen != "" {
			c.Found("{disks}.", "disks", seen)
		}
	},
}
