package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// Ext4DirIndex looks at the superblock: dir_index is a feature of the
// filesystem, not a mount option. mke2fs has enabled it since 2005.
var Ext4DirIndex = check.Check{
	ID:       "ext4_dir_index",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "ext4 or ext3 without directory indexes (dir_index)",
	Why: "Without dir_index, a name is found by reading the directory from its start. A database directory " +
		"contains a file for each table, index and map; with tens of thousands of tables, each open, create and " +
		"unlink reads megabytes. mke2fs enables dir_index by default, so only an old or special-purpose " +
		"filesystem lacks it.",
	Do: "1. Stop the server and unmount the filesystem. e2fsck must never run on a mounted filesystem.\n" +
		"2. Enable the feature: tune2fs -O dir_index DEVICE\n" +
		"3. Build the indexes of existing directories: e2fsck -fD DEVICE\n" +
		"4. Verify that the features include dir_index: tune2fs -l DEVICE\n" +
		"5. Mount the filesystem and start the server.",
	Sources: []string{"linux-ext4", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Mounts(c)
		exts, ok := check.Need(c, c.Snapshot.Host.Exts)
		if !ok {
			return
		}
		seen := volumes.OnMounts(list, func(m host.Mount) bool {
			for _, e := range exts {
				if e.Device == m.Device && (m.FSType == "ext3" || m.FSType == "ext4") {
					return len(e.Features) > 0 && !e.Has("dir_index")
				}
			}
			return false
		}, volumes.MountedAt)
		if len(seen.Items) > 0 {
			c.Found("No dir_index: {places}.", "places", seen)
		}
	},
}
