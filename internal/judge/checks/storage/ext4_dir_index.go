package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// Ext4DirIndex looks at the superblock: dir_index is a feature of the
// filesystem and no option of a mount. mke2fs sets it since 2005.
var Ext4DirIndex = check.Check{
	ID:       "ext4_dir_index",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Folders of the filesystem have no index",
	Why: "Without dir_index a name is looked for by reading the folder from its start. A database's folder holds a " +
		"file for each table, index and map, " +
		"so with ten thousands of tables every open, create and unlink reads megabytes of names. ext3 and ext4 are " +
		"made with the index by default; " +
		"only an old filesystem, or one made for another purpose, is without.",
	Do: "Stop the server and unmount the filesystem, then run tune2fs -O dir_index and e2fsck -fD with its device: " +
		"the second builds the index of the folders " +
		"that exist. e2fsck must never run on a mounted filesystem. Check with tune2fs -l.",
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
		}, func(m host.Mount) string { return m.Source + " mounted at " + m.Point })
		if seen != "" {
			c.Found("Without dir_index: {places}.", "places", seen)
		}
	},
}
