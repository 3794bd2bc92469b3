package durability

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ChecksumFailures is critical at the first one: a page that was written right
// came back wrong, and there is no harmless way for that to happen.
var ChecksumFailures = check.Check{
	ID:       "checksum_failures",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Pages were read whose checksum is wrong",
	Why: "The storage, its controller or memory gave back other bytes than the server wrote. A query that meets the " +
		"page fails; what was damaged without being read " +
		"is not known yet, and it goes into backups and hides there until the last good backup is gone.",
	Do: "Keep all backups and stop their rotation. Find the pages: the server log says \"page verification failed\" " +
		"with file and block, and pg_amcheck reads every table. " +
		"Look for the cause in dmesg and smartctl -a, and move the data to other hardware by a backup that is known " +
		"to be good or a standby; do not set ignore_checksum_failure " +
		"or zero_damaged_pages but for a last rescue on a copy. After the repair SELECT pg_stat_reset() in the " +
		"database starts the count anew; it also " +
		"clears what autovacuum goes by, so run ANALYZE there afterwards.",
	Sources: []string{"pg-checksums", "pg-monitoring"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		var told []string
		for _, d := range dbs {
			if d.ChecksumFails > 0 {
				told = append(told, fmt.Sprintf("database %s: %d", d.Name, d.ChecksumFails))
			}
		}
		// The shared catalogs belong to no database. Where nothing is known of
		// them what was seen elsewhere is told all the same.
		if n, ok := check.Need(c, c.Instance.Server.SharedFails); ok && n > 0 {
			told = append([]string{fmt.Sprintf("shared catalogs: %d", n)}, told...)
		}
		if len(told) > 0 {
			c.Found("Failures since the statistics were reset: {databases}.", "databases", check.Join(told, "; ", 5))
		}
	},
}
