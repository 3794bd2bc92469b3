package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ArchiveLag tolerates as much as pg_wal holds anyway, which is max_wal_size:
// only more than that takes more disk space than intended.
var ArchiveLag = check.Check{
	ID:       "archive_lag",
	Area:     check.WAL,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "WAL archiving is falling behind",
	Why: "Segments that are not archived yet stay in pg_wal and would be lost with the server. The backlog is the " +
		"amount that a recovery from the archive would miss. If it grows day by day, the disk of pg_wal fills and " +
		"the server stops.",
	Do: "1. Measure the command for one segment: it must take less time than a segment takes to fill.\n" +
		"2. Use a tool that archives in parallel and in the background (pgBackRest with archive-async=y, WAL-G), " +
		"or compress less.\n" +
		"3. Or write less WAL: wal_compression = on, longer checkpoint_timeout (reload).\n" +
		"Never delete files in pg_wal manually.",
	Sources:   []string{"pg-config-wal", "pg-monitoring"},
	DependsOn: []string{"archive_failing"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if mode, ok := set.Text("archive_mode"); !ok || mode == "off" {
			return
		}
		dir, ok := check.Need(c, c.Instance.Server.WALDir)
		if !ok {
			return
		}
		ready, ok := check.Need(c, dir.Ready)
		if !ok {
			return
		}
		segment, ok1 := set.Bytes("wal_segment_size")
		most, ok2 := set.Bytes("max_wal_size")
		if !ok1 || !ok2 || unit.Bytes(ready)*segment <= most {
			return
		}
		c.Found("Segments waiting to be archived: {n} ({size}); max_wal_size = {max}.", "n", ready, "size",
			unit.Bytes(ready)*segment, "max", most.GUC())
	},
}
