package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// OffOnCopyOnWrite decides a setting that only serves filesystems that
// overwrite in place; text says why not the others.
func (c *Case) OffOnCopyOnWrite(text say.Template) {
	place, ok := c.place(snapshot.WALPlace)
	if !ok {
		return
	}
	if _, ok := Need(c, c.Snapshot.Host.Mounts); !ok {
		return
	}
	m, ok := c.Snapshot.MountOf(place.Path)
	if !ok {
		c.Miss(known.Gap{Fact: "filesystem of " + place.Path, Reason: "no mount point found for it"})
		return
	}
	copies := m.FSType == "zfs" || m.FSType == "btrfs" && !m.Has("nodatacow")
	if !copies {
		c.Keep("WAL is on {fs}, which overwrites blocks in place", "fs", m.FSType)
		return
	}
	c.SetAs(false, say.All(": ", say.M("WAL is on {fs}, which never overwrites a block in place", "fs", m.FSType),
		say.M(text)))
}

// DataFilesystem returns the type of the filesystem that the data directory is on, noting what is missing.
func (c *Case) DataFilesystem() (fs string, ok bool) {
	place, ok := c.place(snapshot.DataPlace)
	if !ok {
		return "", false
	}
	if _, ok := Need(c, c.Snapshot.Host.Mounts); !ok {
		return "", false
	}
	m, ok := c.Snapshot.MountOf(place.Path)
	if !ok {
		c.Miss(known.Gap{Fact: "filesystem of " + place.Path, Reason: "no mount point found for it"})
	}
	return m.FSType, ok
}

// SharesBlocks reports whether files of the data directory can share blocks; sure is false where it is unknown.
func (c *Case) SharesBlocks() (shares, sure bool) {
	place, ok := c.place(snapshot.DataPlace)
	if !ok {
		return false, false
	}
	return c.Snapshot.SharesBlocks(place.Path)
}

// ZfsMounted reports whether a ZFS filesystem is mounted, which then has its own cache (the ARC).
func ZfsMounted(mounts []host.Mount) bool {
	for _, m := range mounts {
		if m.FSType == "zfs" {
			return true
		}
	}
	return false
}
