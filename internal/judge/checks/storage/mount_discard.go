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
	Title:    "Each deletion waits for the disk to discard",
	Why: "With discard the filesystem tells the disk of every freed block at once. Dropping a large table or index, " +
		"truncating, and removing temporary files then sends bursts of discards that many disks carry out " +
		"before anything else, and commits wait behind them. A weekly fstrim tells the disk the same when there is " +
		"time.",
	Do: "Remove discard from the options in /etc/fstab, run mount -o remount,nodiscard with the mount point, " +
		"and let systemd trim: systemctl enable --now fstrim.timer.",
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
