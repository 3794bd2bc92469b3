package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// recordsTooLong is the bound of a moderate record: PostgreSQL's page is 8 kB, and up to 32 kB
// better compression outweighs what is read and written in excess.
const recordsTooLong = 32 * unit.KB

// ZfsRecordsize leaves the WAL alone: it is written in one sequence, and the
// default of 128 kB suits it.
var ZfsRecordsize = check.Check{
	ID:       "zfs_recordsize",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The record size of ZFS does not fit the pages of the server",
	Why: "ZFS reads and rewrites whole records. With the default of 128 kB a change of one page of 8 kB reads the " +
		"record, unless it is cached, and writes all of it anew, up to sixteen times the data, and " +
		"the ARC fills with pages that nobody asked for. Records below 8 kB tear a page into several, compress " +
		"badly and multiply metadata.",
	Do: "Run zfs set recordsize=16K with the file system of the data (8K to 32K are reasonable; keep 128K for " +
		"pg_wal on one of its own). Only files written from then on " +
		"have it: copy the data directory anew, for instance by a switchover to a standby built on such a file system.",
	Sources: []string{"openzfs-workload", "dalibo-j1"},
	Judge: func(c *check.Case) {
		seen := volumes.OnZFS(c, func(role snapshot.PlaceRole, d host.Dataset) bool {
			return role != snapshot.WALPlace && d.RecordSize > 0 &&
				(d.RecordSize > recordsTooLong || d.RecordSize < volumes.PageOfServer)
		}, func(d host.Dataset) string { return d.Name + " (recordsize " + d.RecordSize.String() + ")" })
		if seen != "" {
			c.Found("{places}.", "places", check.Capitalize(seen))
		}
	},
}
