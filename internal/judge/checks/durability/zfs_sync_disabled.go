package durability

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// ZfsSyncDisabled is fsync = off by another name, for every program at once.
var ZfsSyncDisabled = check.Check{
	ID:       "zfs_sync_disabled",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "ZFS does not carry out fsync",
	Why: "With sync=disabled ZFS answers every fsync at once and writes with its next transaction group, some " +
		"seconds later. At a crash the last seconds of committed transactions are " +
		"gone. One file system alone stays consistent in itself, but the data, WAL and tablespaces of several ones " +
		"can be of different moments, and a standby or an archive may then be ahead of the primary.",
	Do: "Run zfs set sync=standard with the file system. If commits are too slow then, give the pool a log " +
		"device with protected memory, or set synchronous_commit = off for the transactions that may be lost.",
	Sources: []string{"openzfs-workload", "pg-wal-reliability"},
	Judge: func(c *check.Case) {
		seen := volumes.OnZFS(c, func(_ snapshot.PlaceRole, d host.Dataset) bool { return d.Sync == "disabled" },
			func(d host.Dataset) string { return d.Name })
		if seen != "" {
			c.Found("sync=disabled: {places}.", "places", seen)
		}
	},
}
