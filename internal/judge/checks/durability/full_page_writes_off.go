package durability

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// FullPageWritesOff is critical, with one known exception: ZFS replaces
// records instead of overwriting them, so a page is never torn if the
// record size is at least 8 kB. A base backup restored elsewhere loses the
// protection, so on ZFS the finding is still a warning.
var FullPageWritesOff = check.Check{
	ID:       "full_page_writes_off",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "full_page_writes is off",
	Why: "Most filesystems write an 8 kB page as two or more separate blocks. A crash in between leaves a torn " +
		"page, half old and half new. Without its full-page image in the WAL, recovery replays changes onto that " +
		"page: silent corruption. Data checksums detect it, but cannot repair it.",
	Do: "1. Turn full_page_writes on (reload): ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf(); " +
		"CHECKPOINT;\n2. To write fewer and smaller full-page images, raise max_wal_size and checkpoint_timeout and " +
		"enable wal_compression (reload).",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET full_page_writes = on;"),
		check.SQL("SELECT pg_reload_conf();"),
		check.SQL("CHECKPOINT;"),
	},
	Sources: []string{"pg-config-wal", "pg-wal-reliability"},
	Judge: func(c *check.Case) {
		v, ok := c.Setting("full_page_writes")
		if !ok || v != "off" {
			return
		}
		list := volumes.Mounts(c)
		kinds, zfs := []string{}, len(list) > 0
		for _, m := range list {
			if !strings.Contains(" "+strings.Join(kinds, " ")+" ", " "+m.Mount.FSType+" ") {
				kinds = append(kinds, m.Mount.FSType)
			}
			zfs = zfs && m.Mount.FSType == "zfs"
		}
		var small say.List
		if zfs {
			small = volumes.OnZFS(c, func(role snapshot.PlaceRole, d host.Dataset) bool {
				return role != snapshot.WALPlace && d.RecordSize > 0 && d.RecordSize < volumes.PageOfServer
			}, volumes.RecordSize)
		}
		switch {
		case len(small.Items) > 0:
			c.Found("full_page_writes = off, and ZFS records are smaller than a page: {places}.", "places", small)
		case zfs:
			c.FoundDo(check.Warning,
				"1. Verify that every dataset of this instance has at least 8 kB: zfs get recordsize\n"+
					"2. Verify that no standby or restored backup is on another filesystem.\n"+
					"3. Otherwise, turn it on (reload): ALTER SYSTEM SET full_page_writes = on; "+
					"SELECT pg_reload_conf();",
				"full_page_writes = off. All directories of the instance are on ZFS, which does not tear pages if "+
					"recordsize is at least 8 kB.")
		case len(kinds) > 0:
			c.Found("full_page_writes = off; filesystems of the instance: {filesystems}.", "filesystems",
				strings.Join(kinds, ", "))
		default:
			c.Found("full_page_writes = off; the filesystem is unknown.")
		}
	},
}
