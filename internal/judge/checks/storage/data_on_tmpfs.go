package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// DataOnTmpfs counts tablespaces too: a cluster that lost one tablespace does
// not finish recovery without a rescue, even if only temporary tables lay there.
var DataOnTmpfs = check.Check{
	ID:       "data_on_tmpfs",
	Area:     check.Storage,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Files of the cluster lie in memory",
	Why: "A tmpfs or ramfs is gone after a reboot or an unmount, whatever fsync says. Without its WAL or one of its " +
		"tablespaces the whole " +
		"cluster is lost, not only what lay there. Its pages also take memory that cannot be given back under " +
		"pressure.",
	Do: "Stop the server, copy the folder to a filesystem on a disk and point the data directory, pg_wal or the " +
		"link in pg_tblspc there. For " +
		"temporary files use a tablespace on a local disk named in temp_tablespaces, not one in memory.",
	Sources: []string{"pg-tablespaces", "pg-creating-cluster", "dalibo-j1"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c),
			func(m host.Mount) bool { return m.FSType == "tmpfs" || m.FSType == "ramfs" || m.FSType == "devtmpfs" },
			func(m host.Mount) string { return m.FSType + " mounted at " + m.Point })
		if seen != "" {
			c.Found("In memory: {places}.", "places", seen)
		}
	},
}
