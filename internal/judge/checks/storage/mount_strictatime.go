package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// MountStrictatime: the kernel shows relatime or noatime among the options of
// every mount that has one of them; a mount with neither writes each access.
// relatime, the default since 2.6.30, costs one write a file and day.
var MountStrictatime = check.Check{
	ID:       "mount_strictatime",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Every read of a data file is noted on the disk",
	Why: "With strictatime the time of the last access is written for each file that is read, so that even a server " +
		"that only reads writes all the time. PostgreSQL never looks at these times. Since Linux 2.6.30 " +
		"relatime is the default and all but free; noatime, which covers directories too, leaves out the rest.",
	Do: "Put noatime in the place of strictatime among the options in /etc/fstab and run mount -o " +
		"remount,noatime with the mount point.",
	Sources: []string{"linux-proc", "dalibo-j1"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c), func(m host.Mount) bool {
			return (m.FSType == "ext4" || m.FSType == "xfs" || m.FSType == "btrfs") && !m.Has("relatime") &&
				!m.Has("noatime") && !m.Has("ro")
		}, func(m host.Mount) string { return m.Source + " mounted at " + m.Point })
		if seen != "" {
			c.Found("Neither relatime nor noatime: {places}.", "places", seen)
		}
	},
}
