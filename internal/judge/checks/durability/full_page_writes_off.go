package durability

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// FullPageWritesOff is critical, but for one known exception: ZFS replaces
// records instead of overwriting them, so a page is never torn as long as the
// record size is 8 kB or more. A base backup restored elsewhere loses the
// protection, so there the finding is still a warning.
var FullPageWritesOff = check.Check{
	ID:       "full_page_writes_off",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "full_page_writes is off",
	Why: "Most filesystems write an 8 kB page as two or more separate blocks. A crash in between leaves a torn " +
		"page, half old and half new. Without its full-page image in the WAL, recovery replays changes onto that " +
		"page: silent corruption. Data checksums detect it, but cannot repair it.",
	Do: "1. Turn it on (reload): ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf(); CHECKPOINT;\n" +
		"2. To write fewer and smaller full-page images, raise max_wal_size and checkpoint_timeout and enable " +
		"wal_compression (reload).",
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
		small := ""
		if zfs {
			small = volumes.OnZFS(c, func(role snapshot.PlaceRole, d host.Dataset) bool {
				return role != snapshot.WALPlace && d.RecordSize > 0 && d.RecordSize < volumes.PageOfServer
			}, func(d host.Dataset) string { return d.Name + " (recordsize " + d.RecordSize.String() + ")" })
		}
		switch {
		case small != "":
			c.Found(
				"full_page_writes = off, and ZFS tears the pages of {places}, as its records are smaller than a page.",
				"places", small)
		case zfs:
			c.FoundDo(check.Warning,
				"Make sure with zfs get recordsize that every dataset of this instance has 8 kB or more, and that "+
					"no standby or "+
					"restored backup lies on another filesystem; otherwise run ALTER SYSTEM SET full_page_writes = "+
					"on; "+
					"SELECT pg_reload_conf();.",
				"full_page_writes = off, and all folders of the instance are on ZFS, which does not tear pages when "+
					"its record size is 8 kB or more.")
		case len(kinds) > 0:
			c.Found("full_page_writes = off, and the folders of the instance are on {filesystems}.", "filesystems",
				strings.Join(kinds, ", "))
		default:
			c.Found("full_page_writes = off; the filesystem could not be seen.")
		}
	},
}
