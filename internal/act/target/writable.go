package target

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"syscall"
)

// mayEnterAndWrite is W_OK|X_OK of access(2).
const mayEnterAndWrite = 2 | 1

// mayWrite is W_OK of access(2).
const mayWrite = 2

// Writable implements Target. It asks the kernel about the nearest directory that is there, which knows of read-only
// mounts as well as of permissions, and about the file: that may be closed to its user and be replaced all the same,
// but not when it is marked immutable.
func (l *Local) Writable(name string) error {
	at := clean(name)
	if abs, err := l.Resolve(at); err == nil {
		at = abs // of a link, the directory of what it leads to counts
	}
	for {
		dir, err := l.Resolve(path.Dir(at))
		if errors.Is(err, fs.ErrNotExist) && at != "/" {
			at = path.Dir(at)
			continue
		}
		if err != nil {
			return err
		}
		if !l.host() {
			dir = filepath.Join(l.Root, dir)
		}
		if err := syscall.Access(dir, mayEnterAndWrite); err != nil {
			return &fs.PathError{Op: "write", Path: name, Err: marked(err)}
		}
		switch err := syscall.Access(filepath.Join(dir, path.Base(at)), mayWrite); err {
		case syscall.EPERM, syscall.EROFS:
			return &fs.PathError{Op: "write", Path: name, Err: marked(err)}
		}
		return nil
	}
}

// marked names what access(2) means by EPERM: a permission that is missing is
// EACCES there.
func marked(err error) error {
	if err == syscall.EPERM {
		return ErrImmutable
	}
	return err
}
