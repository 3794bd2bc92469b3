package storage

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// Of a large filesystem hardly anything is left when less than a hundredth is:
// 24 GB of 10 TB are what one rebuild of a large index takes, and nobody meant to
// run so full. Beyond 100 GB it depends on what grows.
const hardlyShare, hardlyRoom = 1, 100 * unit.GB

// Both a share and an amount have to be small: 5 % of 10 TB last for weeks, and
// 10 GB of a small server may be half of its disk. 20 and 4 GB are what one
// large sort, index build or burst of WAL takes at once.
const (
	fullShare, fullRoom         = 10, 20 * unit.GB
	almostNoShare, almostNoRoom = 3, 4 * unit.GB
)

// FilesystemNearlyFull counts what an ordinary user may take, without the
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
		text := func(m host.Mount) string {
			sp, _ := c.Snapshot.SpaceAt(spaces, m.Point)
			return leftOn(m, sp, growth[m.Point])
		}
		if seen := volumes.OnMounts(list, is(check.Critical), text); seen != "" {
			c.Found("{places}.", "places", check.Capitalize(seen))
		}
		if seen := volumes.OnMounts(list, is(check.Warning), text); seen != "" {
			c.FoundAs(check.Warning, "{places}.", "places", check.Capitalize(seen))
		}
	},
}

// nearlyFull judges what is left of a filesystem by its share and its amount; ok is
// false where that is enough.
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

// leftOn is a clause about what is left of a filesystem, and for how long.
func leftOn(m host.Mount, sp host.Space, g growing) string {
	return m.Point + " has " + sp.Free.String() + " of " + sp.Total.String() + " left (" +
		check.PercentOf(sp.Free, sp.Total).String() + ")" +
		g.until(sp.Free)
}
