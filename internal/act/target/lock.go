package target

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
)

// Held says that another process has a lock.
type Held struct {
	Path string
	By   string // the hint that its holder left; "" if it had not yet
}

func (h *Held) Error() string {
	if h.By == "" {
		return h.Path + " is locked by another process"
	}
	return h.Path + " is locked by " + h.By
}

// maxHint bounds what is read of another's hint.
const maxHint = 200

// Lock implements Target with flock(2), which a crash cannot leave behind. The
// file stays: to remove it would let two processes lock two files of one name.
func (l *Local) Lock(name, hint string) (func() error, error) {
	f, err := l.lockFile(name)
	if err != nil {
		return nil, err
	}
	if err := Flock(f); err != nil {
		defer f.Close()
		if err != syscall.EWOULDBLOCK {
			return nil, &os.PathError{Op: "lock", Path: name, Err: err}
		}
		b, _ := io.ReadAll(io.LimitReader(f, maxHint)) // only a hint: without it the message is shorter
		return nil, &Held{Path: name, By: strings.TrimSpace(string(b))}
	}
	if err := errors.Join(f.Truncate(0), writeAt0(f, hint+"\n")); err != nil {
		f.Close()
		return nil, err
	}
	return func() error { return errors.Join(f.Truncate(0), f.Close()) }, nil
}

func writeAt0(f *os.File, s string) error {
	_, err := f.WriteAt([]byte(s), 0)
	return err
}

func (l *Local) lockFile(name string) (*os.File, error) {
	dir, base, err := l.folder(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	// 0600: who may not write the file may not hold up an apply by locking it
	return dir.OpenFile(base, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
}
