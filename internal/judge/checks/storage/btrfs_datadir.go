package storage

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// BtrfsDatadir tells either way what is lost: copying each page costs speed,
// and overwriting in place costs btrfs's checksums.
var BtrfsDatadir = check.Check{
	ID:       "btrfs_datadir",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The data files lie on btrfs",
	Why: "By default btrfs writes each changed page to a new place: a table that is updated at random breaks into " +
		"as many extents as it has pages, and reads and " +
		"writes become slower with time. Without copy on write (nodatacow, or the attribute C) files are " +
		"overwritten in place, but then btrfs keeps " +
		"no checksums of them, and only those of PostgreSQL itself would show damage.",
	Do: "Prefer ext4 or XFS for the data directory. On btrfs: stop the server, make a new folder, run chattr +C on " +
		"it while it is empty, copy the data directory there " +
		"with cp --reflink=never, and switch data checksums on (pg_checksums --enable). Snapshots bring the copying " +
		"back.",
	Sources: []string{"linux-btrfs", "pg-creating-cluster", "dalibo-j1"},
	Judge: func(c *check.Case) {
		var copies, plain []volumes.Mounted
		for _, m := range volumes.Mounts(c) {
			if m.Mount.FSType != "btrfs" || m.Role == snapshot.WALPlace {
				continue // the WAL is the plan's matter: wal_recycle and wal_init_zero
			}
			inPlace := m.Mount.Has("nodatacow")
			if !inPlace {
				flags, ok := check.Need(c, c.Snapshot.Host.FileFlags)
				told := false
				for _, f := range flags {
					if f.Path == m.Path {
						told, inPlace = true, strings.Contains(f.Flags, "C")
					}
				}
				if !ok || !told {
					continue
				}
			}
			if inPlace {
				plain = append(plain, m)
			} else {
				copies = append(copies, m)
			}
		}
		if len(copies) > 0 {
			c.Found("Copied at every write: {folders}.", "folders", folders(copies))
		}
		if len(plain) == 0 {
			return
		}
		if v, ok := c.Setting("data_checksums"); ok && v == "off" {
			c.Found("Overwritten in place, with neither btrfs's checksums nor data checksums: {folders}.", "folders",
				folders(plain))
		}
	},
}

func folders(list []volumes.Mounted) string {
	var told []string
	for _, m := range list {
		told = append(told, volumes.PlaceName(m.Place))
	}
	return check.Join(told, ", ", 3)
}
