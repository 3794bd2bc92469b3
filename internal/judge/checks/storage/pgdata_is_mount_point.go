package storage

import (
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// PgdataIsMountPoint is information only in a container: there the volume is
// mounted before the server can start, or the container does not start at all,
// and the official image itself did it so until 18.
var PgdataIsMountPoint = check.Check{
	ID:       "pgdata_is_mount_point",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "A folder of the cluster is itself a mount point",
	Why: "When the mount is missing after a boot, the empty folder below it takes its place: a start script may " +
		"make a new cluster in it, or the " +
		"server writes WAL or a tablespace to the wrong disk. The root of a filesystem also belongs to root, holds " +
		"lost+found, and " +
		"leaves no room beside it for pg_upgrade to work in.",
	Do: "Stop the server, make a folder below the mount point that belongs to the server's user with mode 0700, " +
		"move the contents there, and point " +
		"the data directory (data_directory or the unit's PGDATA), the pg_wal link or the link in pg_tblspc to it.",
	Sources: []string{"pg-creating-cluster", "dalibo-j1"},
	Judge: func(c *check.Case) {
		places, ok := check.Need(c, c.Instance.Places)
		if !ok {
			return
		}
		var roots []string
		for _, p := range places {
			if p.MountPoint {
				roots = append(roots, volumes.PlaceName(p))
			}
		}
		if len(roots) == 0 {
			return
		}
		sev := check.Warning
		if v, ok := c.Snapshot.Host.Virt.Get(); ok && v.Container != "" {
			sev = check.Info
		}
		c.FoundAs(sev, "The root of a mount: {folders}.", "folders", check.Join(roots, ", ", 3))
	},
}
