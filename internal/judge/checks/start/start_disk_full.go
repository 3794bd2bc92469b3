package start

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// leastRoom is a block of the filesystem: postmaster.pid and postmaster.opts are
// written at each start.
const leastRoom = 4 * unit.KB

// StartDiskFull requires a whole WAL segment only before crash recovery: a server that
// was shut down cleanly continues in its present segment.
var StartDiskFull = check.Check{
	ID:       "start_disk_full",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Disk is too full for the server to start",
	Why: "A server that stopped with PANIC because pg_wal was full runs crash recovery at its next start. " +
		"Recovery ends with a checkpoint, which needs space for WAL. Without space in the data directory the " +
		"server cannot even write postmaster.pid.",
	Do: "1. Free space on the filesystem or enlarge it: old server logs, dumps, files of other programs. " +
		"Never delete files in pg_wal manually.\n" +
		"2. If nothing else can be removed, move pg_wal to a larger filesystem (pgfettle move-wal).\n" +
		"3. Start the server.\n" +
		"4. Find what retains the WAL: a failing archive_command, a replication slot, or max_wal_size.",
	Sources: []string{"pg-disk-full", "pg-wal-configuration"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		folders, ok := check.Need(c, c.Instance.Start.Folders)
		if !ok {
			return
		}
		for _, f := range folders {
			switch {
			case f.Free < 0 || f.Fault != "":
			case f.What == "data" && f.Free < leastRoom:
				c.Found("Free space on the filesystem of {dir}: {free}.", "dir", f.Path, "free", f.Free)
			case f.What == "wal":
				control, ok := check.Need(c, c.Instance.Start.Control)
				if ok && !control.Clean && control.Segment > 0 && f.Free < control.Segment {
					c.Found(
						"The server was not shut down cleanly (state: {state}). Free space on the filesystem of "+
							"{dir}: {free}; a WAL segment takes {segment}.",
						"state", control.State, "dir", f.Path, "free", f.Free, "segment", control.Segment)
				}
			}
		}
	},
}
