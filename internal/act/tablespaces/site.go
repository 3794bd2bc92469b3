package tablespaces

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// fstabPath is the file of the filesystems that are mounted at boot.
const fstabPath = "/etc/fstab"

// Site looks at a directory that is to become a tablespace of an instance.
func (l *Looker) Site(in *snapshot.Instance, asked string) (s tablespaces.Site, err error) {
	s.Asked = asked
	if !path.IsAbs(asked) || strings.ContainsAny(asked, "\n\r\x00") {
		return s, &say.Problem{Message: say.M("{asked} is not an absolute path", "asked", say.Quoted(asked)),
			Hint: say.M("write the absolute path: the server keeps it"), Code: say.CodeUsage}
	}
	dir, view, err := l.dataDir(in)
	if err != nil {
		return s, err
	}
	if err := l.lead(&s); err != nil {
		return s, err
	}
	if err := l.what(&s, dir); err != nil {
		return s, err
	}
	if err := l.filesystem(&s, dir); err != nil {
		return s, err
	}
	return s, l.way(&s, dir, view)
}

// lead follows the links to a directory; its last part need not exist.
func (l *Looker) lead(s *tablespaces.Site) error {
	at := path.Clean(s.Asked)
	real, err := l.Target.Resolve(at)
	if err == nil {
		s.To, s.Parent, s.Exists = real, path.Dir(real), true
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return target.NoAccess(at, err)
	}
	if to, e := l.Target.Readlink(at); e == nil {
		return &say.Problem{Message: say.M("{at} is a symbolic link to {to}, which is not there", "at", at, "to", to),
			Hint: say.M("choose a directory, or mount its filesystem"), Code: say.CodeRefused}
	}
	up, err := l.Target.Resolve(path.Dir(at))
	if errors.Is(err, fs.ErrNotExist) {
		return &say.Problem{Message: say.M("{at} is not there", "at", path.Dir(at)),
			Detail: say.M("the directory of the tablespace is created, those above it are not"),
			Hint:   say.M("mount its filesystem, or create the directory"), Code: say.CodeRefused}
	}
	if err != nil {
		return target.NoAccess(path.Dir(at), err)
	}
	s.To, s.Parent = path.Join(up, path.Base(at)), up
	return nil
}

// what looks at what is there.
func (l *Looker) what(s *tablespaces.Site, dir string) error {
	if !s.Exists {
		return nil
	}
	st, err := l.Target.Stat(s.To)
	if err != nil {
		return target.NoAccess(s.To, err)
	}
	s.Directory, s.UID, s.GID = st.Mode.IsDir(), st.UID, st.GID
	if !s.Directory {
		return nil
	}
	owner, err := l.Target.Stat(dir)
	if err != nil {
		return err
	}
	folders, err := l.folders(dir)
	if err != nil {
		return err
	}
	if s.Entries, err = folders.Names(s.To); errors.Is(err, fs.ErrPermission) && st.UID != owner.UID {
		return nil // that it is another's is told
	} else if err != nil {
		return target.NoAccess(s.To, err)
	}
	slices.Sort(s.Entries)
	return nil
}

// filesystem looks at what it and the data directory are on.
func (l *Looker) filesystem(s *tablespaces.Site, dir string) error {
	b, err := l.Target.ReadFile("/proc/self/mountinfo", 64<<20) // fs.mount-max is 100,000 lines
	if err != nil {
		return err
	}
	mounts, err := host.ParseMounts(b)
	if err != nil {
		return err
	}
	table := snapshot.Snapshot{Host: host.Host{Mounts: known.Is(mounts)}}
	var ok1, ok2 bool
	s.Mount, ok1 = table.MountOf(s.To)
	s.DataMount, ok2 = table.MountOf(dir)
	if !ok1 || !ok2 {
		return say.Err("the filesystem of the data directory, or that of the tablespace, is not among the mounts")
	}
	at := s.Parent
	if s.Exists {
		at = s.To
	}
	here, err := l.Target.Stat(at)
	if err != nil {
		return target.NoAccess(at, err)
	}
	data, err := l.Target.Stat(dir)
	if err != nil {
		return target.NoAccess(dir, err)
	}
	// the subvolumes of a btrfs have devices of their own and are one filesystem
	s.SameFilesystem = here.Dev == data.Dev || s.Mount.FSType == "btrfs" && s.Mount.Source == s.DataMount.Source
	if s.Exists && s.Directory {
		up, err := l.Target.Stat(s.Parent)
		if err != nil {
			return target.NoAccess(s.Parent, err)
		}
		s.MountPoint = up.Dev != here.Dev || s.Mount.Point == s.To
	}
	s.Device = l.device(here, s.Mount)
	l.fstab(s, mounts)
	space, err := l.Target.Statfs(at)
	if err != nil {
		return target.NoAccess(at, err)
	}
	s.Free = unit.Bytes(space.Free)
	return nil
}

// device is the block device of a filesystem, as the collector names it: where the filesystem has a number of its own,
// that of what was mounted.
func (l *Looker) device(st target.Info, m host.Mount) string {
	dev := st.Dev
	if target.Major(dev) == 0 && strings.HasPrefix(m.Source, "/dev/") {
		if d, err := l.Target.Stat(m.Source); err == nil && d.Rdev != 0 {
			dev = d.Rdev
		}
	}
	return fmt.Sprintf("%d:%d", target.Major(dev), target.Minor(dev))
}

// fstab says whether the filesystem is mounted at boot, and which one above it is not mounted now.
func (l *Looker) fstab(s *tablespaces.Site, mounts []host.Mount) {
	b, err := l.Target.ReadFile(fstabPath, target.MaxConfigFile)
	if err != nil {
		return
	}
	for _, line := range host.FstabLines(string(b)) {
		at := line.Point
		s.InFstab = s.InFstab || at == s.Mount.Point
		if at != "/" && (s.To == at || strings.HasPrefix(s.To, at+"/")) &&
			!slices.ContainsFunc(mounts, func(m host.Mount) bool { return m.Point == at }) {
			s.Unmounted = at
		}
	}
}

// way looks who else could lead the path elsewhere, and whether the server gets there.
func (l *Looker) way(s *tablespaces.Site, dir string, view target.Target) error {
	owner, err := l.Target.Stat(dir)
	if err != nil {
		return err
	}
	way, err := l.Target.Way(path.Clean(s.Asked))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return target.NoAccess(s.Asked, err)
	}
	if s.Exists && len(way) > 0 {
		way = way[:len(way)-1] // of the directory itself its owner is told
	}
	if err := target.Owned(way, target.User{UID: owner.UID, GID: owner.GID}); err != nil {
		s.Changeable = err.Error()
	}
	// what only root can create is created where only root can lead the path elsewhere, by links too
	if s.Changeable == "" && l.Target.UID() == 0 && !s.Exists && view.Writable(s.To) != nil {
		if err := target.RootsOwn(l.Target, path.Dir(path.Clean(s.Asked))); err != nil {
			s.Changeable = err.Error()
		}
	}
	folders, err := l.folders(dir)
	if err != nil {
		return err
	}
	at := s.Parent
	if s.Exists && s.Directory && s.UID == owner.UID {
		at = s.To
	}
	if err := folders.Enter(at); err != nil {
		s.Closed = err.Error()
	}
	if s.Closed == "" && !s.Exists {
		if err := l.Target.Writable(s.To); err != nil {
			return target.NoAccess(s.To, err)
		}
	}
	return nil
}
