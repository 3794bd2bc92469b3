package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// MountDiscard takes only discard: btrfs's discard=async collects requests and is fine.
// It is info: cloud images use it by default, and most disks cope with it.
var MountDiscard = check.Check{
	ID:       "mount_discard",
	Area:     check.Storage,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Mount option discard: TRIM on every delete",
	Why: "With discard, the filesystem sends a TRIM command for freed blocks at once. Dropping or truncating a " +
		"large table, or removing temporary files, sends bursts that many disks execute before other requests. " +
		"Commits wait behind them. A weekly fstrim does the same work at a quiet time.",
	Do: "1. Remove discard from the mount options in /etc/fstab.\n" +
		"2. Turn it off now (XFS may need an unmount and mount instead): mount -o remount,nodiscard MOUNT_POINT\n" +
		"3. Trim weekly instead: systemctl enable --now fstrim.timer",
	Sources: []string{"linux-ext4", "fstrim"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c), func(m host.Mount) bool {
			return (m.FSType == "ext4" || m.FSType == "xfs" || m.FSType == "btrfs") &&
				(m.Has("discard") || m.Has("discard=sync"))
		}, volumes.MountedAt)
		if len(seen.Items) > 0 {
			c.Found("discard: {places}.", "places", seen)
		}
	},
}
