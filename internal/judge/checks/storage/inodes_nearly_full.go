package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// A table with an index and a TOAST table is about ten files; 100,000 free
// inodes are enough for thousands of them even if that is a small share.
const (
	inodeShare = 10 // percent
	inodeRoom  = 100_000
)

// InodesNearlyFull skips filesystems that create inodes as they need them and
// report 0 (btrfs). XFS and ZFS report how many still fit.
var InodesNearlyFull = check.Check{
	ID:       "inodes_nearly_full",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Filesystem is running out of inodes",
	Why: "ext4 has a fixed number of inodes, set when the filesystem is created. If none is left, no file can be " +
		"created, even if df shows free space: no table, no temporary file, no WAL segment. Without a new WAL " +
		"segment, the server stops with a PANIC.",
	Do: "1. Show the inodes in use: df -i\n" +
		"2. Find the directory with many files (often a spool, sessions, or logs of another program): du --inodes " +
		"-x -d 2 MOUNT_POINT\n" +
		"3. Remove those files, or move the data directory to a filesystem with more inodes: XFS, or ext4 created " +
		"with mkfs.ext4 -i 8192 (one inode per 8 kB instead of the default 16 kB).",
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
		}, func(m host.Mount, directories say.List) say.Message {
			sp, _ := c.Snapshot.SpaceAt(spaces, m.Point)
			return say.M("{point}: {free} of {total} inodes free ({percent}), used by {directories}", "point", m.Point,
				"free", sp.FFree, "total", sp.Files, "percent",
				check.PercentOf(unit.Bytes(sp.FFree), unit.Bytes(sp.Files)), "directories", directories)
		})
		if len(seen.Items) > 0 {
			c.Found("{places}.", "places", seen)
		}
	},
}
