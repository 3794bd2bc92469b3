package target

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Write implements Target: a temporary file in the same directory, fsync, rename, fsync of the directory. A file that
// exists keeps its owner, group and mode, and perm counts only for a new one. A symbolic link stays one: what it leads
// to is replaced. It is not for /proc and /sys, if nothing can be renamed.
func (l *Local) Write(name string, data []byte, perm fs.FileMode) error {
	dir, base, err := l.folder(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	return replace(dir, base, data, perm)
}

func replace(dir *os.Root, base string, data []byte, perm fs.FileMode) error {
	var owner *User
	old, err := info(dir.Lstat(base))
	switch {
	case err == nil && !old.Mode.IsRegular():
		return &fs.PathError{Op: "write", Path: base, Err: ErrNotRegular}
	case err == nil:
		// to the previous owner; a user who cannot change ownership and owns the old one has nothing to change
		perm, owner = old.Mode.Perm(), &User{UID: old.UID, GID: old.GID}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return replaceAs(dir, base, data, perm, owner, nil)
}

// replaceAs gives the new file to owner, or leaves it ours where that is nil. still,
// if there is one, is asked before the rename.
func replaceAs(dir *os.Root, base string, data []byte, perm fs.FileMode, owner *User, still func() error) (err error) {
	f, temp, err := temporary(dir, base)
	if err != nil {
		return err
	}
	defer func() {
		f.Close() // a second time where all went well, which does nothing
		if err != nil && temp != "" {
			err = errors.Join(err, dir.Remove(temp))
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if owner != nil {
		if err = f.Chown(owner.UID, owner.GID); err != nil {
			return say.Err("owner of {name}: {reason}", "name", base, "reason", err)
		}
	}
	if err = f.Chmod(perm); err != nil { // after chown, which may clear bits, and past the umask
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if still != nil {
		if err = still(); err != nil {
			return err
		}
	}
	if err = dir.Rename(temp, base); err != nil {
		return err
	}
	temp = "" // renamed: what is there now is not to be removed
	return syncFolder(dir)
}

// temporarySuffix ends the names of files that are not whole yet.
const temporarySuffix = ".pgfettle-tmp"

// temporary makes a new file beside base. Its name starts with a dot and ends
// in a suffix that no program reads configuration from.
func temporary(dir *os.Root, base string) (*os.File, string, error) {
	for range 100 { // a name that is taken is tried again; a hundred in a row are no accident
		name := "." + base + "." + strconv.FormatUint(rand.Uint64(), 36) + temporarySuffix
		f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
	return nil, "", fs.ErrExist
}

// syncFolder makes the rename last. A filesystem that cannot sync a directory says EINVAL and is left alone, as
// PostgreSQL's fsync_fname does.
func syncFolder(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return say.Err("directory: {reason}", "reason", err)
	}
	return nil
}
