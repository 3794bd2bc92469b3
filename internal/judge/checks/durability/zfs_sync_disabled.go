package durability

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// ZfsSyncDisabled has the effect of fsync = off, for every program at once.
var ZfsSyncDisabled = check.Check{
	ID:       "zfs_sync_disabled",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "ZFS sync=disabled: fsync is ignored",
	Why: "With sync=disabled, ZFS acknowledges each fsync at once and writes with its next transaction group, some " +
		"seconds later. A crash loses the last seconds of committed transactions. One dataset stays consistent, " +
		"but data, WAL and tablespaces in several datasets can be from different moments. A standby or an archive " +
		"can then be ahead of the primary.",
	Do: "1. Enable sync (takes effect now): zfs set sync=standard DATASET\n" +
		"2. If commits are then too slow, add a log device with power-loss protection to the pool, or set " +
		"synchronous_commit = off for transactions that may be lost.",
	Sources: []string{"openzfs-workload", "pg-wal-reliability"},
	Judge: func(c *check.Case) {
		seen := volumes.OnZFS(c, func(_ snapshot.PlaceRole, d host.Dataset) bool { return d.Sync == "disabled" },
			func(d host.Dataset, directories say.List) say.Message {
				return say.M("{dataset} ({directories})", "dataset", d.Name, "directories", directories)
			})
		if len(seen.Items) > 0 {
			c.Found("sync=disabled: {places}.", "places", seen)
		}
	},
}
