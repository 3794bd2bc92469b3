package storage

import (
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// Ext4DataWriteback is a notice only: PostgreSQL's manual says that WAL makes data
// journaling unnecessary, because the server syncs what it relies on. The risk is
// for everything that is not synced.
var Ext4DataWriteback = check.Check{
	ID:       "ext4_data_writeback",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "ext4 or ext3 mounted with data=writeback",
	Why: "With data=writeback, a file can have its new length on disk before its contents: after a crash, its end " +
		"can contain old blocks of deleted files. Data that PostgreSQL has synced is safe. The server log, files " +
		"being copied and archived WAL that archive_command did not sync are at risk, and deleted data can " +
		"reappear. The gain over data=ordered is small, because PostgreSQL spreads its writes.",
	Do: "1. Remove data=writeback from the mount options in /etc/fstab. For a root filesystem, also remove it " +
		"from rootflags= on the kernel command line, and run: tune2fs -o ^journal_data_writeback DEVICE\n" +
		"2. Stop the server, unmount the filesystem and mount it again (for a root filesystem, reboot): a remount " +
		"cannot change the mode.\n" +
		"3. Start the server.",
	Sources: []string{"linux-ext4", "pg-wal-intro", "dalibo-j1"},
	Judge: func(c *check.Case) {
		seen := volumes.OnMounts(volumes.Mounts(c),
			func(m host.Mount) bool { return (m.FSType == "ext3" || m.FSType == "ext4") && m.Has("data=writeback") },
			volumes.MountedAt)
		if len(seen.Items) > 0 {
			c.Found("data=writeback: {places}.", "places", seen)
		}
	},
}
