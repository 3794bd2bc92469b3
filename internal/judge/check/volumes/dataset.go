package volumes

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PageOfServer is the block size of PostgreSQL as it is built by default: a smaller record
// splits a page.
const PageOfServer = 8 * unit.KB

// OnZFS returns what text says of each dataset that fits, with the instance's directories on
// it. Missing facts are noted only if a directory is on ZFS at all.
func OnZFS(c *check.Case, fits func(snapshot.PlaceRole, host.Dataset) bool,
	text func(host.Dataset, say.List) say.Message) say.List {
	var list []Mounted
	for _, m := range Mounts(c) {
		if m.Mount.FSType == "zfs" {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return say.List{}
	}
	sets, ok := check.Need(c, c.Snapshot.Host.Datasets)
	if !ok {
		return say.List{}
	}
	of := func(m host.Mount) (host.Dataset, bool) {
		for _, d := range sets {
			if d.Name == m.Source {
				return d, true
			}
		}
		return host.Dataset{}, false
	}
	var kept []Mounted
	for _, m := range list {
		if d, ok := of(m.Mount); ok && fits(m.Role, d) {
			kept = append(kept, m)
		}
	}
	return OnMounts(kept, func(host.Mount) bool { return true }, func(m host.Mount, directories say.List) say.Message {
		d, _ := of(m)
		return text(d, directories)
	})
}

// RecordSize is a clause for OnZFS that names the record size.
func RecordSize(d host.Dataset, directories say.List) say.Message {
	return say.M("{dataset}: recordsize {size} ({directories})", "dataset", d.Name, "size", d.RecordSize, "directories",
		directories)
}
