package provision

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// Swap looks at the place of a swap file.
func Swap(t target.Target, s *snapshot.Snapshot, at string) (creation.SwapPlace, error) {
	p := creation.SwapPlace{Path: at}
	if !newcluster.SwapPath(at) {
		return p, nil // it is refused
	}
	dir, err := t.Resolve(path.Dir(at))
	if errors.Is(err, fs.ErrNotExist) {
		p.NoDir = true
		return p, nil
	}
	if err != nil {
		return p, target.NoAccess(path.Dir(at), err)
	}
	p.Path = path.Join(dir, path.Base(at))
	switch _, err := t.Lstat(p.Path); {
	case err == nil:
		p.Exists = true
	case !errors.Is(err, fs.ErrNotExist):
		return p, target.NoAccess(p.Path, err)
	}
	in, err := t.Stat(dir)
	if err != nil {
		return p, target.NoAccess(dir, err)
	}
	p.Device = fmt.Sprintf("%d:%d", target.Major(in.Dev), target.Minor(in.Dev))
	if m, ok := s.MountOf(p.Path); ok {
		p.Type = m.FSType
	}
	if sp, err := t.Statfs(dir); err == nil {
		p.Free, p.Total = unit.Bytes(sp.Free), unit.Bytes(sp.Total)
	}
	p.Led = led(t, path.Dir(at), newcluster.Account{})
	for _, a := range host.FstabSwaps(text(t, "/etc/fstab")) {
		p.InFstab = a.What
	}
	for _, name := range []string{"mkswap", "swapon", "swapoff"} {
		if !runs(t, "/usr/sbin/"+name) && !runs(t, "/sbin/"+name) {
			p.Lacks = name
		}
	}
	return p, nil
}
