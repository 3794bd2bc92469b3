package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// PgdataIsMountPoint is only info in a container: there the volume is mounted
// before the server can start, or the container does not start at all,
// and the official image itself used a mount point in 17 and earlier.
var PgdataIsMountPoint = check.Check{
	ID:       "pgdata_is_mount_point",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Data, WAL or tablespace directory is a mount point",
	Why: "If the mount is missing after a boot, the empty directory below it takes its place. A start script may " +
		"then initialize a new cluster there, or the server writes WAL or a tablespace to another disk. The root " +
		"of a filesystem also belongs to root and contains lost+found. It leaves no space for a second directory, " +
		"which pg_upgrade needs.",
	Do: "1. Stop the server.\n" +
		"2. Create a directory below the mount point, owned by the server's user, with mode 0700, and move the " +
		"contents into it.\n" +
		"3. Point the data directory (data_directory or PGDATA of the unit), the pg_wal link or the link in " +
		"pg_tblspc to it, and start the server.",
	Sources: []string{"pg-creating-cluster", "dalibo-j1"},
	Judge: func(c *check.Case) {
		places, ok := check.Need(c, c.Instance.Places)
		if !ok {
			return
		}
		roots := say.List{Most: 3}
		for _, p := range places {
			if p.MountPoint {
				roots.Items = append(roots.Items, volumes.PlaceName(p))
			}
		}
		if len(roots.Items) == 0 {
			return
		}
		sev := check.Warning
		if v, ok := c.Snapshot.Host.Virt.Get(); ok && v.Container != "" {
			sev = check.Info
		}
		c.FoundAs(sev, "Mount points: {folders}.", "folders", roots)
	},
}
