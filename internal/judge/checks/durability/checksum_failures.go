package durability

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ChecksumFailures is critical at the first one: a page differs from what was
// written, and no cause of that is harmless.
var ChecksumFailures = check.Check{
	ID:       "checksum_failures",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Data checksum failures",
	Why: "A page that was read differs from what the server wrote. The usual cause is the storage, its controller " +
		"or memory. A query that reads the page fails. Damage in pages that were not read is still unknown, and " +
		"goes into backups until the last good backup is gone.",
	Do: "1. Keep all backups and stop their rotation.\n" +
		"2. Find the pages: the server log reports \"page verification failed\" with file and block, and " +
		"pg_amcheck (PostgreSQL 14 and later) reads every table.\n" +
		"3. Find the cause: search the kernel log (dmesg), and run smartctl -a with each disk.\n" +
		"4. Move the data to other hardware from a backup known to be good, or from a standby. Use " +
		"ignore_checksum_failure or zero_damaged_pages only as the last resort, on a copy.\n" +
		"5. After the repair, reset the counters in the database: SELECT pg_stat_reset();\n" +
		"6. This also resets the counters that autovacuum uses, so run in that database: ANALYZE;",
	Sources: []string{"pg-checksums", "pg-monitoring"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		told := say.List{Sep: "; ", Most: 5}
		for _, d := range dbs {
			if d.ChecksumFails > 0 {
				told.Items = append(told.Items, say.M("database {database}: {n}", "database", d.Name, "n",
					d.ChecksumFails))
			}
		}
		// The shared catalogs belong to no database. If they are unknown,
		// failures elsewhere are still reported.
		if n, ok := check.Need(c, c.Instance.Server.SharedFails); ok && n > 0 {
			told.Items = append([]say.Message{say.M("shared catalogs: {n}", "n", n)}, told.Items...)
		}
		if len(told.Items) > 0 {
			c.Found("Checksum failures since the last statistics reset: {databases}.", "databases", told)
		}
	},
}
