package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// A large filesystem is nearly full if less than 1% is free: one rebuild of a large
// index takes 24 GB of 10 TB, and such use is not intended. Above 100 GB it depends
// on what grows.
const hardlyShare, hardlyRoom = 1, 100 * unit.GB

// Both the share and the amount must be small: 5% of 10 TB last for weeks, and
// 10 GB can be half of the disk of a small server. One large sort, index build or
// burst of WAL takes 4 to 20 GB at once.
const (
	fullShare, fullRoom         = 10, 20 * unit.GB
	almostNoShare, almostNoRoom = 3, 4 * unit.GB
)

// FilesystemNearlyFull counts the space for unprivileged users, without the
// blocks that ext4 reserves for root.
var FilesystemNearlyFull = check.Check{
	ID:        "filesystem_nearly_full",
	Area:      check.Storage,
	Severity:  check.Critical,
	Scope:     check.PerInstance,
	DependsOn: []string{"start_disk_full"},
	Title:     "Filesystem nearly full",
	Why: "If there is no space for WAL, the server stops with a PANIC and cannot start until there is some. If " +
		"there is no space for data, statements that write fail. VACUUM FULL, REINDEX and CREATE INDEX need space " +
		"and cannot run. A query that spills to temporary files can take gigabytes in seconds.",
	Do: "1. Find what grew: run du -xsh in the data directory, in pg_wal (a replication slot or a failing " +
		"archive_command), in base/pgsql_tmp and in the log directory. Never delete files in pg_wal manually.\n" +
		"2. Enlarge the filesystem, or move pg_wal or a tablespace to another one.\n" +
		"3. Limit temporary files with temp_file_limit and slots with max_slot_wal_keep_size (reload).",
	Sources: []string{"pg-disk-full", "pg-config-resource"},
	Judge: func(c *check.Case) {
		list := volumes.Mounts(c)
		spaces, ok := check.Need(c, c.Snapshot.Host.Spaces)
		if !ok {
			return
		}
		growth := growth(c, list)
		is := func(sev check.Severity) func(host.Mount) bool {
			return func(m host.Mount) bool {
				sp, ok := c.Snapshot.SpaceAt(spaces, m.Point)
				found, full := nearlyFull(sp)
				if days, grows := growth[m.Point].days(sp.Free); grows && days < daysCritical {
					found = check.Critical
				}
				return ok && !volumes.OnTmpfs(m) && full && found == sev
			}
		}
		text := func(m host.Mount, directories say.List) say.Message {
			sp, _ := c.Snapshot.SpaceAt(spaces, m.Point)
			return leftOn(m, sp, growth[m.Point], directories)
		}
		if seen := volumes.OnMounts(list, is(check.Critical), text); len(seen.Items) > 0 {
			c.Found("{places}.", "places", seen)
		}
		if seen := volumes.OnMounts(list, is(check.Warning), text); len(seen.Items) > 0 {
			c.FoundAs(check.Warning, "{places}.", "places", seen)
		}
	},
}

// nearlyFull judges the free space of a filesystem by its share and its amount; ok is
// false if that is enough.
func nearlyFull(sp host.Space) (sev check.Severity, ok bool) {
	within := func(percent int64, room unit.Bytes) bool {
		return sp.Total > 0 && sp.Free < room && !check.AtLeast(sp.Free, percent, sp.Total)
	}
	switch {
	case within(almostNoShare, almostNoRoom):
		return check.Critical, true
	case within(fullShare, fullRoom), within(hardlyShare, hardlyRoom):
		return check.Warning, true
	}
	return check.Info, false
}

// leftOn is clauses on the free space of a filesystem, and for how long it lasts.
func leftOn(m host.Mount, sp host.Space, g growing, directories say.List) say.Message {
	return say.All(", ", say.M("{point}: {free} of {total} free ({percent})", "point", m.Point, "free", sp.Free,
		"total", sp.Total, "percent", check.PercentOf(sp.Free, sp.Total)), g.told, g.until(sp.Free),
		say.M("used by {directories}", "directories", directories))
}
