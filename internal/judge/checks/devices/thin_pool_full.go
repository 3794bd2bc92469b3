package devices

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// The shares of a pool, in percent: LVM's own default warns at 80, and from 95
// on one large import or VACUUM FULL fills the rest.
const (
	poolFilling = 80
	poolFull    = 95
)

// ThinPoolFull looks at the room that no filesystem shows: df tells of the
// volume's size, of which the pool may have a part only.
var ThinPoolFull = check.Check{
	ID:       "thin_pool_full",
	Area:     check.Storage,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "LVM thin pool is nearly full or refuses writes",
	Why: "A thin volume takes blocks from its pool on first write, regardless of the free space that the " +
		"filesystem shows. If the pool is full, writes to all its volumes wait (by default 60 s) and then fail. " +
		"PostgreSQL stops with a PANIC if the WAL is affected, and the filesystem may be damaged. If the metadata " +
		"is full, the pool must be repaired offline.",
	Do: "1. Extend the pool with lvextend (for metadata, with --poolmetadatasize), or free blocks: run fstrim on " +
		"its filesystems and remove old snapshots.\n" +
		"2. Let LVM extend it automatically (thin_pool_autoextend_threshold in lvm.conf).\n" +
		"3. Monitor data_percent and metadata_percent: lvs -a -o name,data_percent,metadata_percent\n" +
		"4. For the WAL, use a thick volume.",
	Sources: []string{"linux-dm-thin", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Stacks(c)
		dm := volumes.MappedUnder(c, list, func(b host.Block) bool { return strings.HasSuffix(b.DMUUID, "-tpool") })
		for _, u := range volumes.Devices(list) {
			m, ok := volumes.Mapped(dm, u.Block)
			if !ok || m.Target != "thin-pool" {
				continue
			}
			data, meta := check.PercentOf(unit.Bytes(m.Used), unit.Bytes(m.Total)),
				check.PercentOf(unit.Bytes(m.MetaUsed), unit.Bytes(m.MetaTotal))
			is := func(percent int64) bool {
				return m.Total > 0 && check.AtLeast(unit.Bytes(m.Used), percent, unit.Bytes(m.Total)) ||
					m.MetaTotal > 0 && check.AtLeast(unit.Bytes(m.MetaUsed), percent, unit.Bytes(m.MetaTotal))
			}
			switch {
			case m.State != "rw":
				c.Found("The pool {pool} under {folders} does not take writes: {state}.", "pool", m.Name, "folders",
					u.Folders(), "state", m.State)
			case is(poolFull):
				c.Found("The pool {pool} under {folders} is full to {data}, its metadata to {meta}.", "pool", m.Name,
					"folders", u.Folders(), "data", data, "meta", meta)
			case is(poolFilling):
				c.FoundAs(check.Warning, "The pool {pool} under {folders} is full to {data}, its metadata to {meta}.",
					"pool", m.Name, "folders", u.Folders(), "data", data, "meta", meta)
			}
		}
	},
}
