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

// Writable implements Target. It asks the kernel about the nearest folder that
// is there, which knows of read-only mounts as well as of permissions.
func (l *Local) Writable(name string) error {
	at := clean(name)
	if abs, err := l.Resolve(at); err == nil {
		at = abs // of a link, the folder of what it leads to counts
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
			return &fs.PathError{Op: "write", Path: name, Err: err}
		}
		return nil
	}
}
