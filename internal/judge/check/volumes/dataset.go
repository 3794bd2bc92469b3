package volumes

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PageOfServer is the block size of PostgreSQL as it is built by default: a smaller record
// tears a page.
const PageOfServer = 8 * unit.KB

// OnZFS tells of the instance's folders on ZFS which lie on a file system that
// fits; what is not known is noted only where a folder lies on ZFS at all.
func OnZFS(c *check.Case, fits func(snapshot.PlaceRole, host.Dataset) bool, text func(host.Dataset) string) string {
	var list []Mounted
	for _, m := range Mounts(c) {
		if m.Mount.FSType == "zfs" {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return ""
	}
	sets, ok := check.Need(c, c.Snapshot.Host.Datasets)
	if !ok {
		return ""
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
	return OnMounts(kept, func(host.Mount) bool { return true }, func(m host.Mount) string {
		d, _ := of(m)
		return text(d)
	})
}
