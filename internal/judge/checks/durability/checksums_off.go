package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// ChecksumsOff is a notice: nothing is damaged, but damage will not be
// detected. Since 18, initdb enables checksums by default, so older clusters
// are usually without them.
var ChecksumsOff = check.Check{
	ID:       "checksums_off",
	Area:     check.Durability,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Data checksums are off",
	Why: "Without page checksums, the server accepts a page that the storage returned damaged. Queries return " +
		"wrong results, and the damage goes into backups and to standbys. The last good backup may be gone when " +
		"it is noticed. Checksums cost a few percent of CPU time when pages are read and written, and full-page " +
		"images in the WAL for hint bits.",
	Do: "1. In a maintenance window, stop the server cleanly. Also stop its standbys, and treat them in the same " +
		"way before the primary starts again.\n" +
		"2. Enable checksums (expect about the time of one full read and write): pg_checksums --enable --progress " +
		"-D DATA_DIRECTORY\n" +
		"3. Start the server.\n" +
		"4. Create new clusters with initdb --data-checksums, the default since PostgreSQL 18.",
	Sources: []string{"pg-checksums", "pg-release-notes"},
	Judge: func(c *check.Case) {
		if v, ok := c.Setting("data_checksums"); ok && v == "off" {
			c.Found("data_checksums = off.")
		}
	},
}
