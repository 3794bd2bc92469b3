package target

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// Allocator is a target on which a file can have all its room before anything is in it, as a swap file needs it: the
// kernel writes to its blocks without the filesystem.
type Allocator interface {
	// Allocate makes a new file of zeros that has all its blocks, for its owner alone, and returns when it is on disk.
	// What is there under the name, also a link, is an error.
	Allocate(name string, size int64) error
	// Install gives a file another name in its directory, which no file may have: fs.ErrExist.
	Install(from, to string) error
}

var _ Allocator = (*Local)(nil)

// zeros is how much is written at once where a filesystem cannot reserve blocks.
const zeros = 1 << 20

// Allocate implements Allocator.
func (l *Local) Allocate(name string, size int64) (err error) {
	dir, base, err := l.unled(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := dir.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.Remove(base))
		}
	}()
	err = reserve(f, size)
	if err == nil {
		err = f.Chmod(0o600) // past the umask
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return &fs.PathError{Op: "allocate", Path: name, Err: err}
	}
	return syncFolder(dir)
}

// reserve gives a file its blocks. Where the filesystem cannot do that, zeros are written.
func reserve(f *os.File, size int64) error {
	err := error(unix.EINTR)
	for err == unix.EINTR {
		err = unix.Fallocate(int(f.Fd()), 0, 0, size)
	}
	if err != unix.EOPNOTSUPP && err != unix.ENOSYS {
		return err
	}
	piece := make([]byte, zeros)
	for left := size; left > 0; left -= int64(len(piece)) {
		if _, err := f.Write(piece[:min(left, zeros)]); err != nil {
			return err
		}
	}
	return nil
}

// unled opens the directory of a name, whose last part is not followed.
func (l *Local) unled(name string) (*os.Root, string, error) {
	up, err := l.Resolve(path.Dir(clean(name)))
	if err != nil {
		return nil, "", err
	}
	return l.enter(path.Join(up, path.Base(clean(name))))
}

// Install implements Allocator.
func (l *Local) Install(from, to string) error {
	if path.Dir(clean(from)) != path.Dir(clean(to)) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
	}
	dir, base, err := l.unled(from)
	if err != nil {
		return err
	}
	defer dir.Close()
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	err = unix.Renameat2(int(d.Fd()), base, int(d.Fd()), path.Base(clean(to)), unix.RENAME_NOREPLACE)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return d.Sync()
}
