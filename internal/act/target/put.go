package target

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// folder opens the folder of a name whose last part need not exist, and returns
// the name within it. A symbolic link in the last place is followed, so that it
// stays one and what it leads to is replaced.
func (l *Local) folder(name string) (*os.Root, string, error) {
	abs, err := l.Resolve(name)
	if errors.Is(err, fs.ErrNotExist) {
		// a new file, in a directory that must exist
		var dir string
		if dir, err = l.Resolve(path.Dir(clean(name))); err == nil {
			abs = path.Join(dir, path.Base(clean(name)))
		}
	}
	if err != nil {
		return nil, "", err
	}
	return l.enter(abs)
}

// enter opens the directory of a path in which every link is followed already.
func (l *Local) enter(abs string) (*os.Root, string, error) {
	if l.host() {
		dir, err := os.OpenRoot(path.Dir(abs))
		return dir, path.Base(abs), err
	}
	root, err := os.OpenRoot(l.Root)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	dir, err := root.OpenRoot(relative(path.Dir(abs)))
	return dir, path.Base(abs), err
}

// Put implements Target.
func (l *Local) Put(name string, data []byte, perm fs.FileMode, uid, gid int) error {
	return l.PutWhile(name, data, perm, uid, gid, nil)
}

// PutWhile implements Target. Between the asking and the rename are no more than
// two system calls; an editor that saves in that very moment is still lost.
func (l *Local) PutWhile(name string, data []byte, perm fs.FileMode, uid, gid int, still func() error) error {
	dir, base, err := l.folder(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	if uid != 0 && l.UID() == 0 && base != path.Base(clean(name)) {
		// root must not follow another user's link and give that user a foreign file
		return &fs.PathError{Op: "write", Path: name, Err: syscall.ELOOP}
	}
	old, err := info(dir.Lstat(base))
	switch {
	case err == nil && !old.Mode.IsRegular():
		return &fs.PathError{Op: "write", Path: name, Err: ErrNotRegular}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return replaceAs(dir, base, data, perm, &User{UID: uid, GID: gid}, still)
}

// Remove implements Target. A symbolic link in the last place is refused: a user who can write to the directory could
// lead us to another user's file, and what is removed under that name is never more than the name.
func (l *Local) Remove(name string) error { return l.RemoveWhile(name, nil) }

// RemoveWhile implements Target.
func (l *Local) RemoveWhile(name string, still func() error) error {
	up, err := l.Resolve(path.Dir(clean(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // not even its directory is there
	}
	if err != nil {
		return err
	}
	dir, base, err := l.enter(path.Join(up, path.Base(clean(name))))
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
	case in.Mode&fs.ModeSymlink != 0:
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.ELOOP}
	case !in.Mode.IsRegular():
		return &fs.PathError{Op: "remove", Path: name, Err: ErrNotRegular}
	}
	if still != nil {
		if err := still(); err != nil {
			return err
		}
	}
	if err := dir.Remove(base); err != nil {
		return err
	}
	return syncFolder(dir)
}

// Mkdir implements Target.
func (l *Local) Mkdir(name string, perm fs.FileMode) error {
	at := clean(name)
	in, err := l.Stat(at)
	switch {
	case err == nil && in.Mode.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := l.Mkdir(path.Dir(at), 0o755); err != nil {
		return err
	}
	dir, base, err := l.folder(at)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.Mkdir(base, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := dir.Chmod(base, perm); err != nil { // past the umask
		return err
	}
	return syncFolder(dir)
}

// Poke implements Target.
func (l *Local) Poke(name, value string) error {
	f, err := l.open(name, os.O_WRONLY)
	if err != nil {
		return err
	}
	defer f.Close()
	data := []byte(value + "\n")
	// One system call: the kernel takes each write for a whole value.
	n, err := f.Write(data)
	if err != nil {
		return err
	}
	if n != len(data) {
		return say.Named(name, say.Err("the kernel took {n} of {most} bytes", "n", strconv.Itoa(n),
			"most", strconv.Itoa(len(data))))
	}
	return f.Close()
}

// Append implements Target.
func (l *Local) Append(name string, data []byte) (err error) {
	f, err := l.open(name, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if !fi.Mode().IsRegular() {
		return &fs.PathError{Op: "append", Path: name, Err: ErrNotRegular}
	}
	defer func() {
		if err != nil {
			// a disk that is full has room for less
			if t := f.Truncate(fi.Size()); t != nil {
				err = errors.Join(err, t)
			}
		}
	}()
	n, err := syscall.Write(int(f.Fd()), data) // and not f.Write, which goes on after a short one
	for err == syscall.EINTR {
		n, err = syscall.Write(int(f.Fd()), data)
	}
	if err != nil {
		return &fs.PathError{Op: "append", Path: name, Err: err}
	}
	if n != len(data) {
		return &fs.PathError{Op: "append", Path: name, Err: syscall.ENOSPC}
	}
	return f.Sync()
}

// open opens a file that exists. O_NONBLOCK: a FIFO that lies where a file is
// expected must not stop us.
func (l *Local) open(name string, flag int) (*os.File, error) {
	flag |= syscall.O_NONBLOCK | syscall.O_CLOEXEC
	if l.host() {
		return os.OpenFile(clean(name), flag, 0)
	}
	rel, root, err := l.inside(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(rel, flag, 0)
}
