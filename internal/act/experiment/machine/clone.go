package machine

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// passing is what a copy of a cluster omits: it belongs to a server that ran.
var passing = map[string]bool{"data/postmaster.pid": true, "data/postmaster.opts": true}

// Clone implements engine.world. It copies the data directory file by file: by sharing blocks where the filesystem can
// (FICLONE: btrfs, XFS with reflink, bcachefs), else byte by byte. Both directories belong to the account of the
// servers, who could put links there: so both are only touched through handles that no link leads out of, and a link is
// refused.
func (m *Machine) Clone(ctx context.Context, from, to string, told func(done, all int64)) (err error) {
	acc, err := scratch.Unprivileged()
	if err != nil {
		return err
	}
	src, err := os.OpenRoot(m.path(from))
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	all, err := m.Size(from)
	if err != nil {
		return err
	}
	if err := os.Mkdir(m.path(to), 0o700); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(m.path(to)))
		}
	}()
	dst, err := os.OpenRoot(m.path(to))
	if err != nil {
		return err
	}
	defer func() { _ = dst.Close() }()
	own := func(name string) error {
		if !acc.Switch {
			return nil
		}
		return dst.Lchown(name, acc.UID, acc.GID)
	}
	if err := own("."); err != nil {
		return err
	}
	c := copier{src: src, dst: dst, reflink: true}
	var done, next int64
	err = fs.WalkDir(src.FS(), "data", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if passing[name] {
			return nil
		}
		switch {
		case d.IsDir():
			if err := dst.Mkdir(name, 0o700); err != nil {
				return err
			}
		case d.Type().IsRegular():
			n, err := c.file(ctx, name)
			if err != nil {
				return err
			}
			// Reported about a hundred times, not for each of a thousand files.
			if done += n; done >= next {
				told(done, int64(all))
				next = done + max(int64(all)/100, 1)
			}
		default:
			return say.Named(path.Join(m.path(from), name), say.Err("neither a file nor a directory; clusters made "+
				"by pgfettle contain nothing else"))
		}
		return own(name)
	})
	if err != nil {
		return err
	}
	// On disk before anything is measured: else the writing of the copy would go on
	// beside the run.
	d, err := os.Open(m.path(to))
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(d.Fd())), d.Close())
}

// copier copies files between two directories.
type copier struct {
	src, dst *os.Root
	reflink  bool // until the filesystem says that it cannot
}

// portion is copied between two looks whether to go on: a third of a second on a
// slow disk.
const portion = 32 << 20

func (c *copier) file(ctx context.Context, name string) (n int64, err error) {
	r, err := c.src.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.Close() }()
	w, err := c.dst.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if c.reflink {
		if err := unix.IoctlFileClone(int(w.Fd()), int(r.Fd())); err == nil {
			st, err := w.Stat()
			if err != nil {
				return 0, err
			}
			return st.Size(), nil
		}
		c.reflink = false
	}
	for {
		if ctx.Err() != nil {
			return n, context.Cause(ctx)
		}
		k, err := io.CopyN(w, r, portion)
		n += k
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// Size is the bytes in the files of a cluster.
func (m *Machine) Size(name string) (unit.Bytes, error) {
	root, err := os.OpenRoot(m.path(name))
	if err != nil {
		return 0, err
	}
	defer func() { _ = root.Close() }()
	sum := unit.Bytes(0)
	err = fs.WalkDir(root.FS(), "data", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			sum += unit.Bytes(st.Size())
		}
		return err
	})
	return sum, err
}
