package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// DataOnTmpfs counts tablespaces too: a cluster that lost one tablespace does
// not finish recovery without a rescue, even if only temporary tables were there.
var DataOnTmpfs = check.Check{
	ID:       "data_on_tmpfs",
	Area:     check.Storage,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Cluster files on tmpfs or ramfs",
	Why: "tmpfs and ramfs lose their contents at a reboot or unmount, even after fsync. Without its WAL or one of " +
		"its tablespaces, the whole cluster is lost, not only the files that were there. The files also occupy " +
		"memory that the kernel cannot drop under pressure.",
	Do: "1. Stop the server and copy the directory to a filesystem on disk.\n" +
		"2. Point the data directory setting, the pg_wal link or the link in pg_tblspc to the copy, and start the " +
		"server.\n" +
		"3. For temporary files, use a tablespace on a local disk (temp_tablespaces), not one in memory.",
	Sources: []string{"pg-tablespaces", "pg-creating-cluster", "dalibo-j1"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c),
			func(m host.Mount) bool { return m.FSType == "tmpfs" || m.FSType == "ramfs" || m.FSType == "devtmpfs" },
			func(m host.Mount, directories say.List) say.Message {
				return say.M("{type} mounted at {point} ({directories})", "type", m.FSType, "point", m.Point,
					"directories", directories)
			})
		if len(seen.Items) > 0 {
			c.Found("In memory: {places}.", "places", seen)
		}
	},
}
