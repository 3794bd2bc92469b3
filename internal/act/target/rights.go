package target

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// As implements Target. The view is a tree whose root is that of l: every link is followed by its text, one directory
// after the other, with the user's rights to each, so that a link of /proc, which the kernel follows without asking for
// them, leads to no more than its text does.
func (l *Local) As(u User) Target {
	if os.Geteuid() != 0 || u.UID == 0 {
		return l // who is not root has no rights to lend, and root's are root's own
	}
	root := l.Root
	if root == "" {
		root = "/"
	}
	return &rights{in: &Local{Root: root, tree: true}, own: l, user: u}
}

// rights is a target on which all is done with one user's rights to files.
type rights struct {
	in   *Local // the same tree, walked directory by directory
	own  *Local // for what is no file
	user User
}

var _ Target = (*rights)(nil)

// with runs something with the user's rights and passes its result on.
func with[T any](r *rights, something func() (T, error)) (out T, err error) {
	err = folders{r.own, &r.user}.do(func() (err error) {
		out, err = something()
		return err
	})
	return out, err
}

func (r *rights) do(something func() error) error { return folders{r.own, &r.user}.do(something) }

// ReadFile implements Target. What is no regular file is not even opened: to
// open a device or a FIFO can do something.
func (r *rights) ReadFile(name string, limit int64) ([]byte, error) {
	return with(r, func() ([]byte, error) {
		in, err := r.in.Stat(name)
		if err != nil {
			return nil, err
		}
		if !in.Mode.IsRegular() {
			return nil, &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
		}
		return r.in.ReadFile(name, limit)
	})
}

// Open implements Target.
func (r *rights) Open(name string) (*os.File, error) {
	return with(r, func() (*os.File, error) {
		in, err := r.in.Stat(name)
		if err != nil {
			return nil, err
		}
		if !in.Mode.IsRegular() {
			return nil, &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
		}
		return r.in.Open(name)
	})
}

// Create makes a new file in a directory of the machine, with a user's rights; nil is ourselves.
func Create(u *User, name string, flag int, perm fs.FileMode) (f *os.File, err error) {
	in := &Local{Root: "/", tree: true}
	err = folders{&Local{}, u}.do(func() error {
		dir, base, err := in.folder(name)
		if err != nil {
			return err
		}
		defer dir.Close()
		f, err = dir.OpenFile(base, flag|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, perm)
		return err
	})
	return f, err
}

func (r *rights) ReadDir(name string) ([]string, error) {
	return with(r, func() ([]string, error) { return r.in.ReadDir(name) })
}
func (r *rights) Readlink(name string) (string, error) {
	return with(r, func() (string, error) { return r.in.Readlink(name) })
}
func (r *rights) Resolve(name string) (string, error) {
	return with(r, func() (string, error) { return r.in.Resolve(name) })
}
func (r *rights) Stat(name string) (Info, error) {
	return with(r, func() (Info, error) { return r.in.Stat(name) })
}
func (r *rights) Lstat(name string) (Info, error) {
	return with(r, func() (Info, error) { return r.in.Lstat(name) })
}
func (r *rights) Way(name string) ([]Step, error) {
	return with(r, func() ([]Step, error) { return r.in.Way(name) })
}
func (r *rights) Statfs(name string) (Space, error) {
	return with(r, func() (Space, error) { return r.in.Statfs(name) })
}

// Sub implements Target: of the same user.
func (r *rights) Sub(dir string) (Target, error) {
	at, err := with(r, func() (string, error) {
		at, err := r.in.Resolve(dir)
		if err != nil {
			return "", err
		}
		in, err := r.in.Stat(at)
		if err == nil && !in.Mode.IsDir() {
			err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
		}
		return at, err
	})
	if err != nil {
		return nil, err
	}
	sub := &Local{Root: filepath.Join(r.in.Root, at)}
	return sub.As(r.user), nil
}

// Reach implements Target. Links are followed with the user's rights.
func (r *rights) Reach(name string) string {
	if r.own.host() {
		return clean(name)
	}
	at, err := r.Resolve(name)
	if err != nil {
		return ""
	}
	return filepath.Join(r.in.Root, at)
}

// Peer implements Target. Asking means connecting, and that is not for a view.
func (r *rights) Peer(socket string) (int, error) {
	return 0, &fs.PathError{Op: "connect", Path: socket, Err: errors.ErrUnsupported}
}

// Run implements Target: as the user.
func (r *rights) Run(ctx context.Context, c Command) (Output, error) {
	c.As = &r.user
	return r.own.Run(ctx, c)
}

// Write implements Target.
func (r *rights) Write(name string, data []byte, perm fs.FileMode) error {
	return r.do(func() error {
		if err := r.mine(name); err != nil {
			return err
		}
		return r.in.Write(name, data, perm)
	})
}

func (r *rights) Put(name string, data []byte, perm fs.FileMode, uid, gid int) error {
	return r.PutWhile(name, data, perm, uid, gid, nil)
}

// PutWhile implements Target. A file of another user is refused: replacing it would take it from its owner, and nothing
// could restore it.
func (r *rights) PutWhile(name string, data []byte, perm fs.FileMode, uid, gid int, still func() error) error {
	return r.do(func() error {
		if err := r.mine(name); err != nil {
			return err
		}
		if uid != r.user.UID {
			return notHis(name)
		}
		return r.in.PutWhile(name, data, perm, uid, gid, still)
	})
}

// mine reports whether a file is not there or the user's own. The caller has the user's rights.
func (r *rights) mine(name string) error {
	in, err := r.in.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !in.Mode.IsRegular():
		return &fs.PathError{Op: "write", Path: name, Err: ErrNotRegular}
	case in.UID != r.user.UID:
		return notHis(name)
	}
	return nil
}

func notHis(name string) error { return &fs.PathError{Op: "write", Path: name, Err: ErrNotHis} }

// Poke implements Target: /proc and /sys are root's.
func (r *rights) Poke(name, _ string) error {
	return &fs.PathError{Op: "write", Path: name, Err: fs.ErrPermission}
}

func (r *rights) Append(name string, data []byte) error {
	return r.do(func() error {
		if err := r.mine(name); err != nil {
			return err
		}
		return r.in.Append(name, data)
	})
}

func (r *rights) Remove(name string) error { return r.RemoveWhile(name, nil) }
func (r *rights) RemoveWhile(name string, still func() error) error {
	return r.do(func() error { return r.in.RemoveWhile(name, still) })
}
func (r *rights) Sweep(name string) error { return r.do(func() error { return r.in.Sweep(name) }) }
func (r *rights) Mkdir(name string, perm fs.FileMode) error {
	return r.do(func() error { return r.in.Mkdir(name, perm) })
}
func (r *rights) Rmdir(name string) error { return r.do(func() error { return r.in.Rmdir(name) }) }

// Writable implements Target. access(2) asks for the real user, who is still
// root: the kernel is asked for the effective rights, or where it is too old for
// that (before 5.8) the permission bits are read.
func (r *rights) Writable(name string) error {
	return r.do(func() error {
		if err := r.mine(name); err != nil {
			return err
		}
		at := clean(name)
		if abs, err := r.in.Resolve(at); err == nil {
			at = abs // of a link, the directory of what it leads to counts
		}
		for {
			dir, err := r.in.Resolve(path.Dir(at))
			if errors.Is(err, fs.ErrNotExist) && at != "/" {
				at = path.Dir(at)
				continue
			}
			if err != nil {
				return err
			}
			if err := r.mayEnterAndWrite(dir); err != nil {
				return &fs.PathError{Op: "write", Path: name, Err: marked(err)}
			}
			switch err := unix.Faccessat2(unix.AT_FDCWD, filepath.Join(r.in.Root, dir, path.Base(at)), mayWrite,
				unix.AT_EACCESS|unix.AT_SYMLINK_NOFOLLOW); err {
			case unix.EPERM, unix.EROFS:
				return &fs.PathError{Op: "write", Path: name, Err: marked(err)}
			}
			return nil
		}
	})
}

func (r *rights) mayEnterAndWrite(dir string) error {
	err := unix.Faccessat2(unix.AT_FDCWD, filepath.Join(r.in.Root, dir), mayEnterAndWrite,
		unix.AT_EACCESS|unix.AT_SYMLINK_NOFOLLOW)
	if err != unix.ENOSYS {
		return err
	}
	in, err := r.in.Stat(dir)
	if err != nil {
		return err
	}
	if bits := in.Mode.Perm() >> r.user.class(in); bits&3 != 3 {
		return unix.EACCES
	}
	return nil
}

// class is how far the permission bits that count for a user are shifted.
func (u User) class(in Info) int {
	if in.UID == u.UID {
		return 6
	}
	if in.GID == u.GID {
		return 3
	}
	for _, g := range u.Groups {
		if in.GID == g {
			return 3
		}
	}
	return 0
}

// Lock implements Target: locks are root's own.
func (r *rights) Lock(name, _ string) (func() error, error) {
	return nil, &fs.PathError{Op: "lock", Path: name, Err: fs.ErrPermission}
}

func (r *rights) As(u User) Target         { return r.own.As(u) }
func (r *rights) Now() time.Time           { return r.own.Now() }
func (r *rights) UID() int                 { return r.user.UID }
func (r *rights) PageSize() int            { return r.own.PageSize() }
func (r *rights) ClockKept() (bool, error) { return r.own.ClockKept() }
func (r *rights) Machine() string          { return r.own.Machine() }
