package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// offOnCopyOnWrite decides a setting that only serves file systems which
// overwrite in place; text says why not the others.
func (c *Case) offOnCopyOnWrite(text string) {
	place, ok := c.place(snapshot.WALPlace)
	if !ok {
		return
	}
	if _, ok := Need(c, c.Snapshot.Host.Mounts); !ok {
		return
	}
	m, ok := c.Snapshot.MountOf(place.Path)
	if !ok {
		c.Miss(known.Gap{Fact: "file system of " + place.Path, Reason: "no mount holds it"})
		return
	}
	copies := m.FSType == "zfs" || m.FSType == "btrfs" && !m.Has("nodatacow")
	if !copies {
		c.Keep("the WAL lies on {fs}, which overwrites files in place", "fs", m.FSType)
		return
	}
	c.Set(false, "the WAL lies on {fs}, which never overwrites a block in place: "+text, "fs", m.FSType)
}

// zfsMounted says whether a file system of ZFS is mounted, which has a cache of
// its own (the ARC) then.
func zfsMounted(mounts []host.Mount) bool {
	for _, m := range mounts {
		if m.FSType == "zfs" {
			return true
		}
	}
	return false
}

// warnARC says that the cache of ZFS is outside of the budget, and how to bound
// it. c is a case of the host with everything about memory decided.
func (c *Case) warnARC() {
	const text = "ZFS keeps a cache of its own, the ARC, in kernel memory: it is not in this budget, and by default it may take half of the memory or more. " +
		"Bound it by zfs_arc_max, in bytes (options zfs zfs_arc_max=… in /etc/modprobe.d/zfs.conf, and /sys/module/zfs/parameters/zfs_arc_max for now)"
	b, ok := c.Basis()
	if ok {
		left := b.Total - b.Reserve - b.Others
		for i := range c.Snapshot.Instances {
			m, ok := c.out.Memory(c.Snapshot, &c.Snapshot.Instances[i], c.Options)
			if !ok {
				left = 0
				break
			}
			left -= m.After.Parts().Sum()
		}
		_, unused := c.out.PoolUnused(c.Snapshot, c.Options)
		if left -= unused; left > 0 {
			c.Warn(text+": {left} are left for it in the worst case.", "left", left)
			return
		}
	}
	c.Warn(text + ".")
}
