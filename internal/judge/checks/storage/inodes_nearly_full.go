package storage

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// A table with an index and a TOAST table is about ten files; 100,000 free
// inodes are room for some thousand of them even where that is a small share.
const (
	inodeShare = 10 // percent
	inodeRoom  = 100_000
)

// InodesNearlyFull passes over filesystems that make inodes as they need them
// and say 0 (btrfs), and XFS and ZFS count what still fits.
var InodesNearlyFull = check.Check{
	ID:       "inodes_nearly_full",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "A filesystem of the instance runs out of inodes",
	Why: "ext4 has a number of inodes that is fixed when the filesystem is made. When none is left no file can be " +
		"created, although df shows free " +
		"space: no table, no temporary file, no WAL segment, and without the last one the server stops with a PANIC.",
	Do: "Look with df -i and find the folder with the many files (often spool, sessions, or logs of another " +
		"program): du --inodes -x -d 2 with the mount point. Remove them, or move the " +
		"data directory to a filesystem made with more inodes (mkfs.ext4 -i 16384, or XFS).",
	Sources: []string{"linux-ext4", "pg-disk-full"},
	Judge: func(c *check.Case) {
		list := volumes.Mounts(c)
		spaces, ok := check.Need(c, c.Snapshot.Host.Spaces)
		if !ok {
			return
		}
		seen := volumes.OnMounts(list, func(m host.Mount) bool {
			sp, ok := c.Snapshot.SpaceAt(spaces, m.Point)
			return ok && sp.Files > 0 && !volumes.OnTmpfs(m) && sp.FFree < inodeRoom &&
				sp.FFree*100 < inodeShare*sp.Files
		}, func(m host.Mount) string {
			sp, _ := c.Snapshot.SpaceAt(spaces, m.Point)
			return fmt.Sprintf("%s has %d of %d inodes left (%s)", m.Point, sp.FFree, sp.Files,
				check.PercentOf(unit.Bytes(sp.FFree), unit.Bytes(sp.Files)))
		})
		if seen != "" {
			c.Found("{places}.", "places", check.Capitalize(seen))
		}
	},
}
