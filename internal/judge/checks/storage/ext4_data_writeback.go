package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// Ext4DataWriteback is a notice only: PostgreSQL's own manual says that WAL
// makes data journaling needless, as what it relies on it has synced. What is
// left is everything that is not synced.
var Ext4DataWriteback = check.Check{
	ID:       "ext4_data_writeback",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The filesystem does not order data before metadata",
	Why: "With data=writeback a file may have its new length on disk before its contents, so after a crash its end " +
		"can hold old blocks of other, " +
		"deleted files. What PostgreSQL has synced is safe. The server log, files being copied, archived WAL whose " +
		"archive_command does not " +
		"sync, and the secrecy of deleted data are not. The gain over data=ordered is small since PostgreSQL " +
		"spreads its writes.",
	Do: "Remove data=writeback from /etc/fstab (for a root filesystem also rootflags= of the boot parameters and " +
		"tune2fs -o ^journal_data_writeback) " +
		"and mount the filesystem anew; the mode cannot be changed by a remount.",
	Sources: []string{"linux-ext4", "pg-wal-intro", "dalibo-j1"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c),
			func(m host.Mount) bool { return (m.FSType == "ext3" || m.FSType == "ext4") && m.Has("data=writeback") },
			func(m host.Mount) string { return m.Source + " mounted at " + m.Point })
		if seen != "" {
			c.Found("data=writeback: {places}.", "places", seen)
		}
	},
}
