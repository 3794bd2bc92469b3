package devices

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// The shares of a pool, in percent: LVM's own default warns at 80, and above 95
// one large import or VACUUM FULL fills the rest.
const (
	poolFilling = 80
	poolFull    = 95
)

const poolUsage say.Template = "Thin pool {pool}: data {data} full, metadata {meta} full; it is used by {folders}."

// ThinPoolFull looks at space that no filesystem shows: df reports the
// volume's size, of which the pool may have only a part.
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
				c.Found("Thin pool {pool} refuses writes: state {state}; it is used by {folders}.", "pool", m.Name,
					"folders", u.Directories(), "state", m.State)
			case is(poolFull):
				c.Found(poolUsage, "pool", m.Name, "folders", u.Directories(), "data", data, "meta", meta)
			case is(poolFilling):
				c.FoundAs(check.Warning, poolUsage, "pool", m.Name, "folders", u.Directories(), "data", data,
					"meta", meta)
			}
		}
	},
}
