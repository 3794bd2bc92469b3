package scratch

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// socketLimit is what the path of the socket may take: sun_path holds 108 bytes
// with its end on Linux and 104 elsewhere, and ".s.PGSQL.5432.lock" must fit too.
const socketLimit = 100

// place is a private temporary directory of an account. If we are root and it belongs to another user, its owner may
// replace its content with links to files of ours: so we access it only through a handle that no link leads out of.
type place struct {
	path    string
	root    *os.Root
	account Account
}

// newPlace makes the directory: below the usual temporary directory, or below /tmp where that is out of the account's
// reach or makes the socket's path too long. A directory that is named (near, else "") is preferred to both.
func newPlace(acc Account, near string) (*place, error) {
	var errs []error
	me, err := self()
	if err != nil {
		return nil, say.Err("private temporary directory: {reason}", "reason", err)
	}
	parents := []string{os.TempDir(), "/tmp"}
	if near != "" {
		parents = append([]string{near}, parents...)
	}
	for _, parent := range parents {
		if acc.Switch && !reachable(parent) {
			errs = append(errs, say.Named(parent, say.Err("not open to an unprivileged user")))
			continue
		}
		sweep(parent, me)
		dir, err := os.MkdirTemp(parent, placePattern)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(dir)+len("/s/.s.PGSQL.5432.lock") > socketLimit {
			errs = append(errs, say.Named(dir, say.Err("too long for a socket")), os.Remove(dir))
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			errs = append(errs, err, os.Remove(dir))
			continue
		}
		p := &place{path: dir, root: root, account: acc}
		// the owner first: who is killed behind it leaves nothing that would stay
		if err := errors.Join(root.WriteFile(ownerFile, []byte(me.text()), 0o600), p.own(".")); err != nil {
			errs = append(errs, err, p.remove())
			continue
		}
		return p, nil
	}
	return nil, say.Err("private temporary directory: {reason}", "reason", errors.Join(errs...))
}

// reachable reports whether every directory of a path lets others pass through.
func reachable(path string) bool {
	for {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm()&0o001 == 0 {
			return false
		}
		up := filepath.Dir(path)
		if up == path {
			return true
		}
		path = up
	}
}

// own gives a file in the place to the account.
func (p *place) own(name string) error {
	if !p.account.Switch {
		return nil
	}
	return p.root.Lchown(name, p.account.UID, p.account.GID)
}

func (p *place) mkdir(name string) error {
	return errors.Join(p.root.Mkdir(name, 0o700), p.own(name))
}

func (p *place) write(name string, b []byte) error {
	return errors.Join(p.root.WriteFile(name, b, 0o600), p.own(name))
}

// maxLock bounds postmaster.pid: eight short lines.
const maxLock = 4096

// read reads the first bytes of a regular file. The place may belong to the
// account, who could have put a link or a FIFO there.
func (p *place) read(name string, limit int64) ([]byte, error) {
	f, err := p.root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.Join(err, say.Named(name, say.Err("not a regular file")))
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// remove takes the directory away with all that is in it.
func (p *place) remove() error {
	err := errors.Join(p.root.Close(), os.RemoveAll(p.path))
	if err != nil {
		return say.Err("private temporary directory: {reason}", "reason", err)
	}
	return nil
}
