package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// recordsTooLong is the largest moderate record: PostgreSQL's page is 8 kB, and up to 32 kB
// better compression outweighs the additional reads and writes.
const recordsTooLong = 32 * unit.KB

// ZfsRecordsize ignores the WAL: it is written sequentially, and the
// default of 128 kB suits it.
var ZfsRecordsize = check.Check{
	ID:       "zfs_recordsize",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "ZFS recordsize does not suit 8 kB pages",
	Why: "ZFS reads and rewrites whole records. With the default of 128 kB, a change of one 8 kB page reads the " +
		"record, unless it is cached, and writes all of it: up to 16 times the data. The ARC also fills with " +
		"pages that no query requested. Records below 8 kB split a page, compress badly and multiply metadata.",
	Do: "1. Set the record size for the data (8K to 32K is reasonable; keep 128K for a separate pg_wal dataset): " +
		"zfs set recordsize=16K DATASET\n" +
		"2. Rewrite the files, because only new files use it: copy the data directory, or switch over to a " +
		"standby built on such a dataset.",
	Sources: []string{"openzfs-workload", "dalibo-j1"},
	Judge: func(c *check.Case) {
		seen := volumes.OnZFS(c, func(role snapshot.PlaceRole, d host.Dataset) bool {
			return role != snapshot.WALPlace && d.RecordSize > 0 &&
				(d.RecordSize > recordsTooLong || d.RecordSize < volumes.PageOfServer)
		}, volumes.RecordSize)
		if len(seen.Items) > 0 {
			c.Found("{places}.", "places", seen)
		}
	},
}
