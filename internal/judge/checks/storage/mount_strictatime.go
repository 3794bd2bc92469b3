package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// MountStrictatime: the kernel shows relatime or noatime among the options of
// every mount that has one of them; a mount with neither writes each access.
// relatime, the default since 2.6.30, costs one write per file and day.
var MountStrictatime = check.Check{
	ID:       "mount_strictatime",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Mount option strictatime: every read updates atime",
	Why: "With strictatime, each read of a file updates its access time, so even a read-only workload writes to " +
		"disk. PostgreSQL does not use access times. relatime, the default since Linux 2.6.30, avoids almost all " +
		"of these writes; noatime, which includes directories, avoids the rest.",
	Do: "1. Replace strictatime with noatime in the mount options in /etc/fstab.\n" +
		"2. Apply it now: mount -o remount,noatime MOUNT_POINT",
	Sources: []string{"linux-proc", "dalibo-j1"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c), func(m host.Mount) bool {
			return (m.FSType == "ext4" || m.FSType == "xfs" || m.FSType == "btrfs") && !m.Has("relatime") &&
				!m.Has("noatime") && !m.Has("ro")
		}, volumes.MountedAt)
		if len(seen.Items) > 0 {
			c.Found("Neither relatime nor noatime: {places}.", "places", seen)
		}
	},
}
