package movewal

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
)

// isBelow reports whether a path is another or below it.
func isBelow(at, top string) bool {
	return at == top || top == "/" || strings.HasPrefix(at, top+"/")
}

// refusePlace refuses a place that WAL must not be in, whatever is there now.
func (w *Mover) refusePlace(dir string, f *walmove.Plan) error {
	switch {
	case isBelow(f.To, dir):
		return refusal(say.M("{to} is in the data directory", "to", f.To),
			say.M("a base backup would copy it twice, and removing one removes the other"),
			say.M("choose a directory outside {dir}", "dir", dir))
	case isBelow(f.To, f.From):
		return refusal(say.M("{to} is in the WAL of this server", "to", f.To), say.Message{},
			say.M("choose a directory outside {from}", "from", f.From))
	case isBelow(dir, f.To):
		return refusal(say.M("the data directory is in {to}", "to", f.To), say.Message{}, say.M("choose a separate "+
			"directory"))
	}
	if spaces, err := w.view(dir).ReadDir(path.Join(dir, "pg_tblspc")); err == nil {
		for _, oid := range spaces {
			if at, err := w.view(dir).Resolve(path.Join(dir, "pg_tblspc", oid)); err == nil && isBelow(f.To, at) {
				return refusal(say.M("{to} is in the tablespace {oid}", "to", f.To, "oid", oid),
					say.M("a tablespace is dropped and backed up with everything in its directory"),
					say.M("choose a directory outside {at}", "at", at))
			}
		}
	}
	s, err := w.mounts()
	if err != nil {
		return err
	}
	mounts, _ := s.Host.Mounts.Get()
	var ok1, ok2 bool
	f.FromMount, ok1 = s.MountOf(f.From)
	f.ToMount, ok2 = s.MountOf(f.To)
	if !ok1 || !ok2 {
		return say.Err("the filesystem of the WAL, or that of its new place, is not among the mounts")
	}
	if err := w.unmounted(f.To, mounts); err != nil {
		return err
	}
	point, err := w.mountPoint(f.To, mounts)
	if err != nil {
		return err
	}
	if point {
		return refusal(say.M("{to} is a mount point", "to", f.To),
			say.M("it contains lost+found and usually belongs to root; and while it is not mounted the server "+
				"would find an empty directory instead of its WAL"),
			say.M("choose a directory inside it, which does not exist while it is not mounted: {to}",
				"to", path.Join(f.To,
					path.Base(dir)+"-wal")))
	}
	if err := refuseVolatile(f.ToMount); err != nil {
		return err
	}
	same, err := w.sameFilesystem(f)
	if err != nil {
		return err
	}
	if same && !f.Options.SameFilesystem {
		return refusal(say.M("{to} is on the filesystem that the WAL is on now", "to", f.To),
			say.M("both are on {point} ({source}): the server would be stopped for nothing", "point", f.ToMount.Point,
				"source", f.ToMount.Source),
			say.M("choose a directory on another filesystem, or give --same-filesystem if it is another disk"))
	}
	f.Notes = append(f.Notes, w.mountNotes(f)...)
	return nil
}

// unmounted refuses a place below a mount point of fstab that nothing is mounted on: the WAL would come to be under it.
func (w *Mover) unmounted(to string, mounts []host.Mount) error {
	for _, at := range w.fstabPoints() {
		if at != "/" && isBelow(to, at) && !slices.ContainsFunc(mounts,
			func(m host.Mount) bool { return m.Point == at }) {
			return refusal(say.M("nothing is mounted on {at}", "at", at), say.M("/etc/fstab has a filesystem for it, "+
				"which would cover what is written there now"), say.M("mount {at}", "at", at))
		}
	}
	return nil
}

// fstabPoints are the mount points of /etc/fstab; where it cannot be read, none.
func (w *Mover) fstabPoints() (out []string) {
	b, err := w.Target.ReadFile(fstabPath, target.MaxConfigFile)
	if err != nil {
		return nil
	}
	for _, l := range host.FstabLines(string(b)) {
		out = append(out, l.Point)
	}
	return out
}

// mountPoint reports whether a directory is the root of a mount.
func (w *Mover) mountPoint(at string, mounts []host.Mount) (bool, error) {
	if slices.ContainsFunc(mounts, func(m host.Mount) bool { return m.Point == at }) {
		return true, nil
	}
	st, err := w.Target.Stat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, target.NoAccess(at, err)
	}
	up, err := w.Target.Stat(path.Dir(at))
	return err == nil && st.Mode.IsDir() && up.Dev != st.Dev, err
}

// refuseVolatile refuses a filesystem that does not keep what was fsynced.
func refuseVolatile(m host.Mount) error {
	switch m.FSType {
	case "tmpfs", "ramfs", "devtmpfs", "hugetlbfs":
		return refusal(say.M("{point} is in memory ({fstype})", "point", m.Point, "fstype", m.FSType),
			say.M("it is empty after a power failure, and a server without its WAL has lost its last transactions or "+
				"all of the cluster"), say.M("choose a directory on a disk"))
	}
	for _, ram := range []string{"/dev/ram", "/dev/zram"} {
		if strings.HasPrefix(m.Source, ram) {
			return refusal(say.M("{point} is on a disk in memory ({source})", "point", m.Point, "source", m.Source),
				say.M("it is empty after a power failure"),
				say.M("choose a directory on a disk"))
		}
	}
	for _, o := range []string{"nobarrier", "barrier=0"} {
		if m.Has(o) {
			return refusal(say.M("{point} is mounted with {value}", "point", m.Point, "value", o),
				say.M("what the server has made last may be lost by a power failure"), say.M("mount it without that "+
					"option"))
		}
	}
	return nil
}

// sameFilesystem reports whether the new place is where the WAL is. The subvolumes of a btrfs have devices of their own
// and are one filesystem.
func (w *Mover) sameFilesystem(f *walmove.Plan) (bool, error) {
	at := f.To
	if _, err := w.Target.Stat(at); err != nil {
		at = path.Dir(at)
	}
	a, err := w.Target.Stat(f.From)
	if err != nil {
		return false, target.NoAccess(f.From, err)
	}
	b, err := w.Target.Stat(at)
	if err != nil {
		return false, target.NoAccess(at, err)
	}
	btrfs := f.FromMount.FSType == "btrfs" && f.ToMount.FSType == "btrfs" && f.FromMount.Source == f.ToMount.Source
	return a.Dev == b.Dev || btrfs, nil
}

// overNetwork are filesystems that are on another host.
var overNetwork = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "afs",
	"9p", "virtiofs", "ocfs2", "gfs2"}

// mountNotes are what to know about the filesystem that prevents nothing.
func (w *Mover) mountNotes(f *walmove.Plan) (out []string) {
	m := f.ToMount
	switch {
	case slices.Contains(overNetwork, m.FSType):
		out = append(out, "the new place is on a network filesystem ("+m.FSType+
			"): each commit waits for the network, and the server stops when it is gone")
	case strings.HasPrefix(m.FSType, "fuse"):
		out = append(out, "the new place is on a filesystem of a program ("+m.FSType+
			"): whether fsync reaches a disk depends on it")
	case m.FSType == "overlay":
		out = append(out, "the new place is in the layer of a container ("+m.Point+"): it goes with the container")
	}
	points := w.fstabPoints()
	if m.Point != "/" && m.FSType != "zfs" && !slices.Contains(points, m.Point) {
		out = append(out, m.Point+" is not in "+fstabPath+
			": see that it is mounted before the server starts, which without its WAL does not")
	}
	if m.Point != f.FromMount.Point && strings.HasPrefix(m.Source, "/dev/loop") {
		out = append(out, m.Source+" is a file on another filesystem, and no faster than that")
	}
	return out
}

const fstabPath = "/etc/fstab"
