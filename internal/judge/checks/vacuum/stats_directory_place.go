package vacuum

import (
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// StatsDirectoryPlace looks at pg_stat, not at pg_stat_tmp (or
// stats_temp_directory in 14 and earlier), whose files are removed at every start.
var StatsDirectoryPlace = check.Check{
	ID:       "stats_directory_place",
	Area:     check.Vacuum,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Statistics directory pg_stat is on tmpfs or ramfs",
	Why: "At a clean shutdown the server writes its statistics to pg_stat, and reads them at the next start. On " +
		"tmpfs they are lost at a reboot: autovacuum forgets how many rows of each table are dead or changed and " +
		"waits for a whole threshold again, and pg_stat_statements starts empty. Guides that move statistics to " +
		"memory mean pg_stat_tmp, and only for PostgreSQL 14 and earlier.",
	Do: "1. Stop the server.\n" +
		"2. Replace the link pg_stat in the data directory with a directory owned by the server's user, with mode " +
		"0700.\n" +
		"3. Start the server. pg_stat_tmp may stay in memory.",
	Sources: []string{"pg-monitoring", "pg-release-notes", "dalibo-j1"},
	Judge: func(c *check.Case) {
		dir, ok1 := check.Need(c, c.Instance.StatsDir)
		_, ok2 := check.Need(c, c.Snapshot.Host.Mounts)
		if !ok1 || !ok2 {
			return
		}
		if data, ok := c.Instance.DataDirectory.Get(); ok {
			if m, ok := c.Snapshot.MountOf(data); ok && volumes.OnTmpfs(m) {
				return // data_on_tmpfs reports this, which is worse
			}
		}
		if m, ok := c.Snapshot.MountOf(dir); ok && volumes.OnTmpfs(m) {
			c.Found("pg_stat is {path}, on {fs} mounted at {point}.", "path", dir, "fs", m.FSType, "point", m.Point)
		}
	},
}
