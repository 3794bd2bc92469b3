package target

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Folders is what moving a directory of one user takes. All of it is done with the rights that this user has to files
// and no others: the owner of a directory can put links into it, and they then lead only to what that user could reach
// anyway. Each method returns when what it did is on disk, and may be repeated after a crash.
type Folders interface {
	// Measure adds up what is in a directory. An entry that is neither a regular file nor a directory is a *OddEntry:
	// it could not be moved as it is.
	Measure(name string) (unit.Extent, error)
	// Make makes a directory in one that exists, and gives it to the user; if that user cannot create it and we are
	// root, we do. An existing one stays.
	Make(name string, perm fs.FileMode) error
	// Names are those of what is in a directory, unsorted.
	Names(name string) ([]string, error)
	// Empty removes all that is in a directory. One that does not exist is empty.
	Empty(name string) error
	// Unmake removes an empty directory; one that does not exist is no error.
	Unmake(name string) error
	// Copy copies what is in a directory, with modes and times, into one that is empty. told is called with the bytes
	// as they are written.
	Copy(ctx context.Context, from, to string, told func(n int64)) error
	// Same reads two directories back from disk and compares them byte for byte.
	Same(ctx context.Context, a, b string, told func(n int64)) error
	// Symlink makes a symbolic link, which must not be there.
	Symlink(text, name string) error
	// Unlink removes a symbolic link; if there is none, nothing.
	Unlink(name string) error
	// Exchange swaps what two names of one directory stand for, in one step that no crash can halve. ErrNoExchange
	// where the filesystem cannot.
	Exchange(a, b string) error
	// Rename gives a name of a directory to another thing in it, in one step.
	Rename(from, to string) error
	// Save writes a file as Write does, by way of the name that TempOf gives; Drop
	// removes both.
	Save(name string, data []byte, perm fs.FileMode) error
	Drop(name string) error
	// Load reads a file; what that user cannot read is not read.
	Load(name string, limit int64) ([]byte, error)
	// Enter says why the user cannot get to a directory; nil if possible.
	Enter(name string) error
}

// ErrNoExchange says that a filesystem has no renameat2(RENAME_EXCHANGE).
var ErrNoExchange = say.Err("the filesystem cannot exchange two names in one step")

// OddEntry is an entry that is neither a regular file nor a directory.
type OddEntry struct {
	Path string
	Mode fs.FileMode
}

func (o *OddEntry) Error() string {
	what := "a special file"
	if o.Mode&fs.ModeSymlink != 0 {
		what = "a symbolic link"
	}
	return o.Path + " is " + what
}

// maxEntries bounds a directory that is moved: pg_wal holds a file for each segment, of 1 MB at least, and as many
// marks of the archiver.
const maxEntries = 4_000_000

// maxDepth bounds how deep directories are in each other: pg_wal has directories of one level.
const maxDepth = 8

// Folders returns the directories of a user on this machine; nil is ourselves.
func (l *Local) Folders(u *User) Folders { return folders{l, u} }

type folders struct {
	l  *Local
	as *User
}

// at is where a name is; a tree of files has nothing to be moved.
func (f folders) at(name string) (string, error) {
	if !f.l.host() {
		return "", ErrNoCommands
	}
	return clean(name), nil
}

// Make implements Folders.
func (f folders) Make(name string, perm fs.FileMode) error {
	at, err := f.at(name)
	if err != nil {
		return err
	}
	err = f.do(func() error { return makeFolder(at, perm, nil) })
	if f.as != nil && (errors.Is(err, fs.ErrPermission) || err == nil && ungiven(at)) {
		if e := RootsOwn(f.l, path.Dir(at)); e != nil {
			return errors.Join(err, e) // it is root's alone to make something in directories of root's alone
		}
		return makeFolder(at, perm, f.as)
	}
	return err
}

func makeFolder(at string, perm fs.FileMode, give *User) error {
	dir, err := os.OpenRoot(path.Dir(at))
	if err != nil {
		return err
	}
	defer dir.Close()
	base := path.Base(at)
	switch in, err := info(dir.Lstat(base)); {
	case err == nil && in.Mode.IsDir() && give != nil && ungiven(at):
		return giveFolder(dir, base, perm, give)
	case err == nil && in.Mode.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: at, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := dir.Mkdir(base, perm); err != nil {
		return err
	}
	return giveFolder(dir, base, perm, give)
}

func giveFolder(dir *os.Root, base string, perm fs.FileMode, give *User) error {
	if err := dir.Chmod(base, perm); err != nil { // past the umask
		return err
	}
	if give != nil {
		if err := dir.Lchown(base, give.UID, give.GID); err != nil {
			return errors.Join(err, dir.Remove(base))
		}
	}
	return syncFolder(dir)
}

// ungiven reports whether a directory is what a kill left between the making of a directory for another account and its
// handing over: empty, and of this process's own user. The owner of what is above it is verified before it is given.
func ungiven(at string) bool {
	in, err := os.Lstat(at)
	if err != nil || !in.IsDir() {
		return false
	}
	if st, ok := in.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return false
	}
	names, err := os.ReadDir(at)
	return err == nil && len(names) == 0
}

// Names implements Folders.
func (f folders) Names(name string) (names []string, err error) {
	at, err := f.at(name)
	if err != nil {
		return nil, err
	}
	err = f.do(func() error {
		dir, err := openFolder(at)
		if err != nil {
			return err
		}
		defer dir.Close()
		names, err = readNames(dir.Open("."))
		return err
	})
	return names, err
}

// Empty implements Folders.
func (f folders) Empty(name string) error {
	at, err := f.at(name)
	if err != nil {
		return err
	}
	return f.do(func() error {
		dir, err := openFolder(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer dir.Close()
		names, err := readNames(dir.Open("."))
		if err != nil {
			return err
		}
		for _, n := range names {
			if err := dir.RemoveAll(n); err != nil {
				return err
			}
		}
		return syncFolder(dir)
	})
}

// openFolder opens a directory that is one itself, and no link to one.
func openFolder(at string) (*os.Root, error) {
	in, err := info(os.Lstat(at))
	switch {
	case err != nil:
		return nil, err
	case !in.Mode.IsDir():
		return nil, &fs.PathError{Op: "open", Path: at, Err: syscall.ENOTDIR}
	}
	dir, err := os.OpenRoot(at)
	if err != nil {
		return nil, err
	}
	if again, err := info(dir.Stat(".")); err != nil || again.Inode != in.Inode || again.Dev != in.Dev {
		dir.Close()
		return nil, errors.Join(&fs.PathError{Op: "open", Path: at, Err: syscall.ELOOP}, err)
	}
	return dir, nil
}

// Unmake implements Folders.
func (f folders) Unmake(name string) error {
	at, err := f.at(name)
	if err != nil {
		return err
	}
	remove := func() error {
		dir, err := os.OpenRoot(path.Dir(at))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer dir.Close()
		in, err := info(dir.Lstat(path.Base(at)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !in.Mode.IsDir():
			return &fs.PathError{Op: "rmdir", Path: at, Err: syscall.ENOTDIR}
		}
		if err := dir.Remove(path.Base(at)); err != nil { // which of a directory removes an empty one alone
			return err
		}
		return syncFolder(dir)
	}
	err = f.do(remove)
	if errors.Is(err, fs.ErrPermission) && f.as != nil {
		if e := RootsOwn(f.l, path.Dir(at)); e != nil {
			return errors.Join(err, e)
		}
		return remove()
	}
	return err
}

// Symlink implements Folders.
func (f folders) Symlink(text, name string) error {
	return f.in(name, func(dir *os.Root, base string) error { return dir.Symlink(text, base) })
}

// Unlink implements Folders.
func (f folders) Unlink(name string) error {
	return f.in(name, func(dir *os.Root, base string) error {
		in, err := info(dir.Lstat(base))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case in.Mode&fs.ModeSymlink == 0:
			return &fs.PathError{Op: "unlink", Path: name, Err: fs.ErrExist}
		}
		return dir.Remove(base)
	})
}

// Rename implements Folders.
func (f folders) Rename(from, to string) error {
	if path.Dir(clean(from)) != path.Dir(clean(to)) {
		return fmt.Errorf("%s and %s are not in one directory", from, to)
	}
	return f.in(from, func(dir *os.Root, base string) error { return dir.Rename(base, path.Base(clean(to))) })
}

// in does something in the directory of a name, and makes it last.
func (f folders) in(name string, do func(dir *os.Root, base string) error) error {
	at, err := f.at(name)
	if err != nil {
		return err
	}
	return f.do(func() error {
		dir, err := os.OpenRoot(path.Dir(at))
		if err != nil {
			return err
		}
		defer dir.Close()
		if err := do(dir, path.Base(at)); err != nil {
			return err
		}
		return syncFolder(dir)
	})
}

// Exchange implements Folders.
func (f folders) Exchange(a, b string) error {
	at, err := f.at(a)
	if err != nil {
		return err
	}
	if path.Dir(at) != path.Dir(clean(b)) {
		return fmt.Errorf("%s and %s are not in one directory", a, b)
	}
	return f.do(func() error {
		dir, err := os.Open(path.Dir(at))
		if err != nil {
			return err
		}
		defer dir.Close()
		fd := int(dir.Fd())
		err = unix.Renameat2(fd, path.Base(at), fd, path.Base(clean(b)), unix.RENAME_EXCHANGE)
		switch err {
		case nil:
		case unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP:
			return say.Named(ErrNoExchange, err)
		default:
			return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
		}
		return dir.Sync()
	})
}

// Save implements Folders.
func (f folders) Save(name string, data []byte, perm fs.FileMode) error {
	return f.in(name, func(dir *os.Root, base string) error {
		temp := path.Base(TempOf(base))
		if err := dir.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		w, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		if err = errors.Join(err, w.Sync(), w.Close()); err != nil {
			return errors.Join(err, dir.Remove(temp))
		}
		return dir.Rename(temp, base)
	})
}

// TempOf is the name of a file that is being saved, which a crash may leave.
func TempOf(name string) string {
	return path.Join(path.Dir(name), "."+path.Base(name)+".pgfettle-tmp")
}

// Drop implements Folders.
func (f folders) Drop(name string) error {
	return f.in(name, func(dir *os.Root, base string) error {
		for _, n := range []string{path.Base(TempOf(base)), base} {
			if err := dir.Remove(n); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
}

// Load implements Folders. A link is none of ours and not read.
func (f folders) Load(name string, limit int64) (data []byte, err error) {
	at, err := f.at(name)
	if err != nil {
		return nil, err
	}
	err = f.do(func() error {
		if in, err := info(os.Lstat(at)); err != nil || !in.Mode.IsRegular() {
			return errors.Join(err, notRegular(name, in, err))
		}
		data, err = readPath(at, limit)
		return err
	})
	return data, err
}

func notRegular(name string, in Info, err error) error {
	if err != nil || in.Mode.IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
}

// Enter implements Folders.
func (f folders) Enter(name string) error {
	at, err := f.at(name)
	if err != nil {
		return err
	}
	return f.do(func() error {
		_, err := os.Stat(filepath.Join(at, "."))
		if err != nil {
			return err
		}
		// the search bit of the directory itself is what a name in it needs
		_, err = os.Lstat(at + "/" + ".pgfettle")
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}
