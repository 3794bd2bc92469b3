package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// MountDiscard takes discard alone: btrfs's discard=async collects and is fine. It
// is information: cloud images mount so by default, and most disks bear it.
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
		}, func(m host.Mount) string { return m.Source + " mounted at " + m.Point })
		if seen != "" {
			c.Found("discard: {places}.", "places", seen)
		}
	},
}
