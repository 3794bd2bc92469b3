package target

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Local is this machine, or a directory that stands for one.
type Local struct {
	// Root is "" or "/" for the machine itself. Any other directory is a tree that nothing leads out of: absolute links
	// start at it, ".." ends at it, and no commands are run.
	Root string

	tree bool // "/" is a tree too: see As
}

var _ Target = (*Local)(nil)

func (l *Local) host() bool { return !l.tree && (l.Root == "" || l.Root == "/") }

// clean returns an absolute path without dots.
func clean(name string) string { return path.Clean("/" + name) }

// ReadFile implements Target.
func (l *Local) ReadFile(name string, limit int64) ([]byte, error) {
	if l.host() {
		return readPath(clean(name), limit)
	}
	rel, root, err := l.inside(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// O_NONBLOCK: a FIFO that lies where a file is expected must not stop us.
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readFd(int(f.Fd()), name, limit)
}

// ReadDir implements Target.
func (l *Local) ReadDir(name string) ([]string, error) {
	if l.host() {
		return readNames(os.Open(clean(name)))
	}
	rel, root, err := l.inside(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readNames(root.Open(rel))
}

func readNames(f *os.File, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Readlink implements Target.
func (l *Local) Readlink(name string) (string, error) {
	if l.host() {
		return os.Readlink(clean(name))
	}
	dir, err := l.Resolve(path.Dir(clean(name)))
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(l.Root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return root.Readlink(relative(path.Join(dir, path.Base(clean(name)))))
}

// Resolve implements Target.
func (l *Local) Resolve(name string) (string, error) {
	if l.host() {
		return filepath.EvalSymlinks(clean(name))
	}
	root, err := os.OpenRoot(l.Root)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return resolve(root, name)
}

// maxLinks is the kernel's own limit on links followed in one path.
const maxLinks = 40

// resolve follows links within root manually, as a process whose root it is would; os.Root alone refuses absolute
// links.
func resolve(root *os.Root, name string) (string, error) {
	done, rest := "/", strings.Split(clean(name), "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			done = path.Dir(done)
			continue
		}
		at := path.Join(done, part)
		fi, err := root.Lstat(relative(at))
		if err != nil {
			return "", err
		}
		if fi.Mode()&fs.ModeSymlink == 0 {
			done = at
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: "resolve", Path: name, Err: syscall.ELOOP}
		}
		to, err := root.Readlink(relative(at))
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(to, "/") {
			done = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return done, nil
}

// relative turns an absolute path of the tree into a name for os.Root.
func relative(abs string) string {
	if abs == "/" {
		return "."
	}
	return abs[1:]
}

// inside resolves a name within the tree. os.Root stands guard behind it: a
// link put there in between cannot lead out.
func (l *Local) inside(name string) (string, *os.Root, error) {
	root, err := os.OpenRoot(l.Root)
	if err != nil {
		return "", nil, err
	}
	abs, err := resolve(root, name)
	if err != nil {
		root.Close()
		return "", nil, err
	}
	return relative(abs), root, nil
}

// Stat implements Target.
func (l *Local) Stat(name string) (Info, error) {
	if l.host() {
		return info(os.Stat(clean(name)))
	}
	rel, root, err := l.inside(name)
	if err != nil {
		return Info{}, err
	}
	defer root.Close()
	return info(root.Lstat(rel))
}

// Lstat implements Target.
func (l *Local) Lstat(name string) (Info, error) {
	if l.host() {
		return info(os.Lstat(clean(name)))
	}
	dir, err := l.Resolve(path.Dir(clean(name)))
	if err != nil {
		return Info{}, err
	}
	root, err := os.OpenRoot(l.Root)
	if err != nil {
		return Info{}, err
	}
	defer root.Close()
	return info(root.Lstat(relative(path.Join(dir, path.Base(clean(name))))))
}

// Open implements Target.
func (l *Local) Open(name string) (*os.File, error) {
	f, err := l.open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func info(fi fs.FileInfo, err error) (Info, error) {
	if err != nil {
		return Info{}, err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return Info{}, syscall.ENOTSUP
	}
	return Info{Dev: uint64(st.Dev), Inode: st.Ino, Rdev: uint64(st.Rdev), Mode: fi.Mode(),
		UID: int(st.Uid), GID: int(st.Gid), Size: fi.Size(), Time: fi.ModTime()}, nil
}

// Statfs implements Target.
func (l *Local) Statfs(name string) (Space, error) {
	var st syscall.Statfs_t
	if l.host() {
		if err := syscall.Statfs(clean(name), &st); err != nil {
			return Space{}, &fs.PathError{Op: "statfs", Path: name, Err: err}
		}
		s := space(st)
		if int64(st.Type) == xfsMagic {
			fd, err := syscall.Open(clean(name), syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
			if err == nil {
				s.Reflinks = reflinks(fd, st)
				err = syscall.Close(fd)
			}
			if err != nil { // what is closed to us says nothing of it
				s.Reflinks = nil
			}
		}
		return s, nil
	}
	rel, root, err := l.inside(name)
	if err != nil {
		return Space{}, err
	}
	defer root.Close()
	f, err := root.OpenFile(rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Space{}, err
	}
	defer f.Close()
	if err := syscall.Fstatfs(int(f.Fd()), &st); err != nil {
		return Space{}, &fs.PathError{Op: "statfs", Path: name, Err: err}
	}
	s := space(st)
	s.Reflinks = reflinks(int(f.Fd()), st)
	return s, nil
}

func space(st syscall.Statfs_t) Space {
	// f_frsize is the unit of f_blocks; f_bsize is only the preferred one.
	size := int64(st.Frsize)
	if size == 0 {
		size = int64(st.Bsize)
	}
	return Space{Total: int64(st.Blocks) * size, Free: int64(st.Bavail) * size, Files: int64(st.Files),
		FFree: int64(st.Ffree)}
}

// Sub implements Target. The kernel lets only root and the owner of a process
// through /proc/PID/root, which is found out here rather than at every file.
func (l *Local) Sub(dir string) (Target, error) {
	at := l.Reach(dir)
	root, err := os.OpenRoot(at) // where there is no way, at is "" and is not found
	if err != nil {
		return nil, err
	}
	root.Close()
	return &Local{Root: at}, nil
}

// Reach implements Target.
func (l *Local) Reach(name string) string {
	if l.host() {
		return clean(name)
	}
	abs, err := l.Resolve(name)
	if err != nil {
		return ""
	}
	return filepath.Join(l.Root, abs)
}

// Now implements Target.
func (l *Local) Now() time.Time { return time.Now() }

// UID implements Target.
func (l *Local) UID() int { return os.Geteuid() }

// PageSize implements Target.
func (l *Local) PageSize() int { return os.Getpagesize() }

// ClockKept implements Target. A directory that stands for a host has no clock.
func (l *Local) ClockKept() (bool, error) {
	if !l.host() {
		return false, errors.ErrUnsupported
	}
	var t syscall.Timex // no mode is set: nothing is changed
	_, err := syscall.Adjtimex(&t)
	// STA_UNSYNC of linux/timex.h; the kernel also sets it when the time was not confirmed for some hours
	const unsync = 0x40
	return t.Status&unsync == 0, err
}

// Machine implements Target.
func (l *Local) Machine() string {
	var u syscall.Utsname
	if syscall.Uname(&u) != nil {
		return ""
	}
	var b strings.Builder
	for _, c := range u.Machine {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String()
}
