package storage

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// BtrfsDatadir fires in both modes: copy-on-write costs speed,
// and overwriting in place costs btrfs's checksums.
var BtrfsDatadir = check.Check{
	ID:       "btrfs_datadir",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Data files on btrfs",
	Why: "By default, btrfs writes each changed page to a new location (copy-on-write). A table that is updated at " +
		"random fragments into as many extents as it has pages, and reads and writes become slower. Without " +
		"copy-on-write (nodatacow, or the file attribute C), files are overwritten in place and btrfs keeps no " +
		"checksums of them. Then only PostgreSQL's data checksums detect damage.",
	Do: "1. Prefer ext4 or XFS for the data directory.\n" +
		"2. If it stays on btrfs: stop the server, create a new directory, and run chattr +C on it while it is " +
		"empty. Copy the data directory into it with cp --reflink=never.\n" +
		"3. Enable data checksums while the server is stopped: pg_checksums --enable -D DATA_DIRECTORY\n" +
		"4. Avoid btrfs snapshots of it: they bring copy-on-write back.",
	Sources: []string{"linux-btrfs", "pg-creating-cluster", "dalibo-j1"},
	Judge: func(c *check.Case) {
		var copies, plain []volumes.Mounted
		for _, m := range volumes.Mounts(c) {
			if m.Mount.FSType != "btrfs" || m.Role == snapshot.WALPlace {
				continue // for the WAL, the plan has wal_recycle and wal_init_zero
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
			c.Found("Copy-on-write: {folders}.", "folders", directories(copies))
		}
		if len(plain) == 0 {
			return
		}
		if v, ok := c.Setting("data_checksums"); ok && v == "off" {
			c.Found("Overwritten in place, with neither btrfs checksums nor data checksums: {folders}.", "folders",
				directories(plain))
		}
	},
}

func directories(list []volumes.Mounted) say.List {
	out := say.List{Most: 3}
	for _, m := range list {
		out.Items = append(out.Items, volumes.PlaceName(m.Place))
	}
	return out
}
