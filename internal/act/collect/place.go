package collect

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// maxTablespaces bounds the links that are followed in pg_tblspc.
const maxTablespaces = 1000

// placesOf finds the directories that an instance writes to. A link that may not be followed is noted, and the other
// places stand.
func (c *collector) placesOf(in *instance) {
	if in.dataDir == "" {
		c.a.AddMissing(evidence.Missing{Name: in.name("places.json"), State: known.Forbidden,
			Reason: "the data directory is not known", Reveal: asOwner})
		return
	}
	if in.inside && in.pid != 0 {
		in.mounts = c.innerMounts(in.pid)
	}
	c.addPlace(in, snapshot.DataPlace, in.dataDir, "")
	c.addPlace(in, snapshot.WALPlace, path.Join(in.dataDir, "pg_wal"), "")
	c.findStats(in)
	links := path.Join(in.dataDir, "pg_tblspc")
	oids, err := in.view.ReadDir(links)
	if err != nil {
		c.miss(in.name("places/tablespaces"), err, asOwner)
	}
	slices.Sort(oids)
	for _, oid := range oids[:min(len(oids), maxTablespaces)] {
		if _, err := strconv.ParseUint(oid, 10, 32); err == nil {
			c.addPlace(in, snapshot.TablespacePlace, path.Join(links, oid), oid)
		}
	}
	if len(in.places) == 0 {
		c.a.AddMissing(evidence.Missing{Name: in.name("places.json"), State: known.Forbidden,
			Reason: "the data directory is closed to us", Reveal: asOwner})
		return
	}
	c.json(in.name("places.json"), in.places)
}

// findStats follows pg_stat, where the statistics are kept over a restart: it is no directory that the instance works
// in, and only where it lies matters.
func (c *collector) findStats(in *instance) {
	real, err := in.view.Resolve(path.Join(in.dataDir, "pg_stat"))
	if err != nil {
		c.miss(in.name("stats_directory"), err, asOwner)
		return
	}
	if st, err := in.view.Stat(real); err == nil {
		real = c.hostPath(in, real, st)
	}
	in.statsDir = real
}

func (c *collector) addPlace(in *instance, role snapshot.PlaceRole, at, oid string) {
	note := in.name("places/" + string(role) + oid)
	real, err := in.view.Resolve(at)
	if err != nil {
		c.miss(note, err, asOwner)
		return
	}
	st, err := in.view.Stat(real)
	if err != nil {
		c.miss(note, err, asOwner)
		return
	}
	p := snapshot.Place{Role: role, Path: c.hostPath(in, real, st), Tablespace: oid, Device: c.device(in, real, st),
		Mode: fmt.Sprintf("%04o", st.Mode.Perm()), UID: st.UID}
	if up, err := in.view.Stat(path.Dir(real)); err == nil {
		p.MountPoint = up.Dev != st.Dev
	}
	p.MountPoint = p.MountPoint || c.tableOf(in).isPoint(real)
	in.places = append(in.places, p)
	in.inner = append(in.inner, real)
}

func (c *collector) tableOf(in *instance) mountTable {
	if in.inside {
		return in.mounts
	}
	return c.ourMounts()
}

// device names the block device of a filesystem, "254:0". Filesystems of their
// own numbers (btrfs, overlay) have major 0: there the device that was mounted
// counts, where the mount names one.
func (c *collector) device(in *instance, real string, st target.Info) string {
	if target.Major(st.Dev) == 0 {
		if m, ok := c.tableOf(in).of(real); ok && strings.HasPrefix(m.Source, "/dev/") {
			if dev, err := c.t.Stat(m.Source); err == nil && dev.Rdev != 0 {
				return spell(dev.Rdev)
			}
		}
	}
	return spell(st.Dev)
}

func spell(dev uint64) string { return fmt.Sprintf("%d:%d", target.Major(dev), target.Minor(dev)) }

// hostPath returns where the host sees a directory: for an instance in a container another path, which has to lead to
// the same inode to be believed. Without one it stays the container's.
func (c *collector) hostPath(in *instance, real string, st target.Info) string {
	if !in.inside {
		return real
	}
	for _, p := range outside(in.mounts, c.ourMounts(), real) {
		if o, err := c.t.Stat(p); err == nil && o.Dev == st.Dev && o.Inode == st.Inode {
			return p
		}
	}
	return real
}
