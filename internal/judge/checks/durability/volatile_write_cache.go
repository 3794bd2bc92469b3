package durability

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// VolatileWriteCache finds a queue setting that contradicts what the disk itself
// reports. A volatile cache alone is not a fault: nearly every disk has
// one, and the kernel flushes it on fsync.
var VolatileWriteCache = check.Check{
	ID:       "volatile_write_cache",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Volatile disk write cache treated as write-through",
	Why: "The disk reports a volatile write cache, but its queue is set to \"write through\", so the kernel sends " +
		"no flushes. fsync returns while the data is only in that cache. A power failure loses it in any order: " +
		"committed transactions, and the order between WAL and data files. This is safe only if a battery or " +
		"capacitors protect the cache, and then a flush costs almost nothing.",
	Do: "1. Set the queue back to write back (takes effect now): echo 'write back' > " +
		"/sys/block/DISK/queue/write_cache\n2. Remove the udev rule or script that changed it: grep -r write_cache " +
		"/etc\n3. If the controller's cache has a working battery, configure the controller itself to report write " +
		"through.",
	Sources: []string{"pg-wal-reliability", "linux-block"},
	Judge: func(c *check.Case) {
		seen := volumes.OnDevices(volumes.Stacks(c), func(d volumes.Device) say.Message {
			own, ok1 := d.OwnCache.Get()
			queue, ok2 := d.WriteCache.Get()
			if ok1 && ok2 && strings.HasPrefix(own, "write back") && queue == "write through" {
				return say.M("{disk} reports \"{own}\", its queue is set to \"{queue}\" ({directories})", "disk",
					d.Name,
					"own", own, "queue", queue, "directories", d.Directories())
			}
			return say.Message{}
		})
		if len(seen.Items) > 0 {
			c.Found("{disks}.", "disks", seen)
		}
	},
}
