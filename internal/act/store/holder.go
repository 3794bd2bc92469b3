package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// ServiceDir is where the history of the packaged service lies. Its account writes
// there, which is why it is not below Dir: that one holds root's journals of what
// was applied, and its whole path is root's alone.
const ServiceDir = "/var/lib/pgfettle-watch"

// ErrOthers means that root was about to open a file that another account can write. SQLite is a large program to feed
// with untrusted bytes, and with root's rights there is nothing that a mistake in it would spare.
var ErrOthers = say.Err("another account may write it")

// Holder is the account that a history belongs to, as root has to be it to read it: the owner of the file, or of a
// parent directory who could replace it. known is false if that is no single account, as in a directory that a group
// may write. The file is root's where uid is 0 and known.
func Holder(path string) (uid, gid int, known bool, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return 0, 0, false, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return 0, 0, false, err
	}
	shared := false
	for at := filepath.Join(dir, filepath.Base(path)); ; at = filepath.Dir(at) {
		st, err := os.Lstat(at)
		if err != nil {
			return 0, 0, false, err
		}
		own, ok := st.Sys().(*syscall.Stat_t)
		if !ok {
			return 0, 0, false, say.Err("{path}: its owner is not known", "path", at)
		}
		if own.Uid != 0 {
			return int(own.Uid), int(own.Gid), true, nil
		}
		sticky := st.IsDir() && st.Mode()&fs.ModeSticky != 0 // others replace nothing of root's there
		if mode := st.Mode().Perm(); !sticky && st.Mode().Type() != fs.ModeSymlink &&
			(mode&0o002 != 0 || mode&0o020 != 0 && own.Gid != 0) {
			shared = true
		}
		if at == "/" {
			return 0, 0, !shared, nil
		}
	}
}

// rootsOwn refuses what root must not open.
func rootsOwn(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, _, known, err := Holder(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNone
	case err != nil:
		return err
	case uid != 0:
		return say.Err("{reason}: that of user id {uid}", "reason", ErrOthers, "uid", strconv.Itoa(uid))
	case !known:
		return say.Err("{reason}: accounts that may write its directory", "reason", ErrOthers)
	}
	return nil
}
