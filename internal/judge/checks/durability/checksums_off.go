package durability

import "github.com/pgfettle/pgfettle/internal/judge/check"

// ChecksumsOff is a notice: nothing is broken, but what breaks will not be
// seen. From 18 on initdb switches checksums on by default, so an older cluster
// without them is the rule and not an error.
var ChecksumsOff = check.Check{
	ID:       "checksums_off",
	Area:     check.Durability,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Data checksums are off",
	Why: "Without a checksum on each page, a page that storage returned damaged is taken as it is: queries give " +
		"wrong answers, the damage " +
		"goes into backups and to standbys, and the last good backup may be gone when somebody notices. The cost is " +
		"a few percent " +
		"of processor time when pages are read and written, and page images in the WAL for hint bits.",
	Do: "In a maintenance window: stop the server cleanly, run pg_checksums --enable -D with the data directory (it " +
		"reads and rewrites " +
		"every file, so reckon with the speed of the disk; --progress shows it), start the server. Standbys have to " +
		"be treated in the same " +
		"way before the primary starts again. New clusters: initdb --data-checksums, the default from 18 on.",
	Sources: []string{"pg-checksums", "pg-release-notes"},
	Judge: func(c *check.Case) {
		if v, ok := c.Setting("data_checksums"); ok && v == "off" {
			c.Found("data_checksums = off.")
		}
	},
}
