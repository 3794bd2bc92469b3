package target

import (
	"errors"
	"io/fs"
	"syscall"
)

// Rmdir implements Target. A symbolic link is no directory of ours and stays.
func (l *Local) Rmdir(name string) error {
	if in, err := l.Readlink(name); err == nil && in != "" {
		return nil
	}
	dir, base, err := l.folder(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	in, err := info(dir.Lstat(base))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !in.Mode.IsDir():
		return &fs.PathError{Op: "rmdir", Path: name, Err: syscall.ENOTDIR}
	}
	if err := dir.Remove(base); err != nil {
		if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
			return nil
		}
		return err
	}
	return syncFolder(dir)
}
