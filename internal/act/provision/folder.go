package provision

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// mostHeld is how many names of a directory are kept: enough to say what it is.
const mostHeld = 20

// Folder looks at a directory that an instance of an account is to have.
func Folder(t target.Target, s *snapshot.Snapshot, at string, owner newcluster.Account) (creation.Folder, error) {
	f := creation.Folder{Path: at}
	up := at
	for { // the nearest entry that is there
		_, err := t.Lstat(up)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return f, target.NoAccess(up, err)
		}
		f.Missing = slices.Insert(f.Missing, 0, up)
		up = path.Dir(up)
	}
	f.Exists = up == at
	real, err := t.Resolve(up)
	if err != nil {
		return f, target.NoAccess(up, err)
	}
	f.Path = path.Join(append([]string{real}, rest(f.Missing)...)...)
	below := real
	for n, at := range rest(f.Missing) { // as they will be made: what a link says may change
		below = path.Join(below, at)
		f.Missing[n] = below
	}
	in, err := t.Stat(real)
	if err != nil {
		return f, target.NoAccess(real, err)
	}
	if f.Exists {
		f.Is, f.UID, f.Mode = in.Mode.IsDir(), in.UID, in.Mode.Perm()
		if f.Is {
			names, err := t.As(target.User{UID: in.UID, GID: in.GID}).ReadDir(real)
			if err != nil {
				return f, target.NoAccess(real, err)
			}
			slices.Sort(names)
			f.Holds = names[:min(len(names), mostHeld)]
		}
	} else if !in.Mode.IsDir() {
		return f, target.NoAccess(real, fmt.Errorf("%s is not a directory", real))
	}
	f.Device = fmt.Sprintf("%d:%d", target.Major(in.Dev), target.Minor(in.Dev))
	if m, ok := s.MountOf(f.Path); ok {
		f.Type, f.Options, f.Point = m.FSType, m.Options, m.Point
		f.Mount = f.Exists && m.Point == f.Path
	}
	if sp, err := t.Statfs(real); err == nil {
		f.Free, f.Total = unit.Bytes(sp.Free), unit.Bytes(sp.Total)
	}
	f.Led = led(t, up, owner)
	f.Shared = f.Is && in.UID == 0 && in.Mode&fs.ModeSticky != 0 && led(t, path.Dir(real), owner) == ""
	f.Owners = t.UID() == 0 && target.RootsOwn(t, up) != nil
	if f.Owners && !f.Exists {
		// its own links may lead to where root alone makes something: that is not done for it
		if err := t.As(target.User{UID: owner.UID, GID: owner.GID}).Writable(path.Join(real,
			path.Base(at))); err != nil {
			f.Closed, f.Shut = err.Error(), err.Error()
		}
	}
	if f.Is {
		if err := t.As(target.User{UID: owner.UID, GID: owner.GID}).Writable(path.Join(real,
			".s.PGSQL.lock")); err != nil {
			f.Shut = err.Error()
		}
	}
	if t.UID() == 0 {
		if _, err := t.As(target.User{UID: owner.UID, GID: owner.GID}).ReadDir(real); err != nil {
			if _, e := t.As(target.User{UID: owner.UID, GID: owner.GID}).Stat(path.Join(real, ".")); e != nil {
				f.Closed = e.Error()
			}
		}
	}
	return f, nil
}

// rest is the part of a path that does not exist yet.
func rest(missing []string) (out []string) {
	for _, m := range missing {
		out = append(out, path.Base(m))
	}
	return out
}

// led says who beside root and the owner could replace what a path leads to.
func led(t target.Target, at string, owner newcluster.Account) string {
	way, err := t.Way(at)
	if err != nil {
		return err.Error()
	}
	if err := target.Owned(way, target.User{UID: owner.UID, GID: owner.GID}); err != nil {
		return err.Error()
	}
	return ""
}
