package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// Nobarrier looks at the filesystems that still have the option: ext3, ext4
// and btrfs. XFS ignored it since 4.10 and refuses it since 4.19. If every
// disk below reports "write through", there is no volatile cache to flush: the
// option gains nothing, and becomes a risk when the disk is replaced.
var Nobarrier = check.Check{
	ID:       "nobarrier",
	Area:     check.Storage,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Write barriers are disabled (nobarrier)",
	Why: "With write barriers off, fsync returns when the data is in the disk's own cache. A power failure loses " +
		"the cached writes, and the others may have been written in any order, including the journal and the WAL. " +
		"Committed transactions and whole files can be damaged. On a disk or controller with a protected cache, " +
		"flushes cost nothing, so the option gains nothing if it is safe.",
	Do: "1. Remove nobarrier or barrier=0 from the mount options in /etc/fstab.\n" +
		"2. Turn barriers on now: mount -o remount,barrier MOUNT_POINT",
	Sources: []string{"pg-wal-reliability", "linux-ext4"},
	Judge: func(c *check.Case) {
		list := volumes.Mounts(c)
		off := func(m host.Mount) bool {
			return (m.FSType == "ext3" || m.FSType == "ext4" || m.FSType == "btrfs") &&
				(m.Has("nobarrier") || m.Has("barrier=0"))
		}
		seen := volumes.OnMounts(list, off, volumes.MountedAt)
		if len(seen.Items) == 0 {
			return
		}
		blocks, _ := c.Snapshot.Host.Blocks.Get()
		through := true
		for _, m := range list {
			if off(m.Mount) {
				through = through && writeThrough(blocks, m.Mount.Device)
			}
		}
		if through {
			c.FoundAs(check.Warning,
				"Write barriers are off: {places}. The disks below report no volatile write cache, so nothing is "+
					"lost today.", "places", seen)
			return
		}
		c.Found("Write barriers are off: {places}.", "places", seen)
	},
}

// writeThrough returns whether every disk below a device is known to have no
// volatile write cache.
func writeThrough(blocks []host.Block, device string) bool {
	list, ok := volumes.Disks(blocks, device)
	for _, d := range list {
		if v, known := d.WriteCache.Get(); !known || v != "write through" {
			return false
		}
	}
	return ok
}
