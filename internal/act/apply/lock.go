package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// lockPoll is how often a lock that another has is tried again: an apply takes
// seconds, and a fifth of one is not felt.
const lockPoll = 200 * time.Millisecond

// lock takes the lock beside the folder of the journals: one apply, undo or
// resume at a time on a host.
func (w *World) lock(ctx context.Context, wait bool) (func() error, error) {
	dir := path.Dir(w.dir())
	if err := w.Target.Mkdir(dir, 0o700); err != nil {
		return nil, noAccess("the folder "+dir, err)
	}
	for said := false; ; {
		unlock, err := w.Target.Lock(path.Join(dir, "lock"), w.Holder)
		var held *target.Held
		if !errors.As(err, &held) {
			if err != nil {
				return nil, noAccess("the lock of apply", err)
			}
			return unlock, nil
		}
		if !wait {
			return nil, &say.Problem{Message: "another apply or undo is at work", Detail: held.Error(),
				Hint: "wait until it has ended, or give --wait", Code: say.CodeRefused}
		}
		if !said {
			w.tell("waiting: " + held.Error())
			said = true
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// noAccess turns a right that is missing into a problem that names it; any
// other error is wrapped with what.
func noAccess(what string, err error) error {
	switch {
	case errors.Is(err, syscall.EROFS):
		return &say.Problem{Message: what + " cannot be written", Detail: err.Error(),
			Hint: "its filesystem is mounted read-only: remount it, or apply from outside of the container", Code: say.CodeNoAccess}
	case errors.Is(err, fs.ErrPermission):
		return &say.Problem{Message: what + " may not be written", Detail: err.Error(), Hint: "run it as root", Code: say.CodeNoAccess}
	}
	return fmt.Errorf("%s: %w", what, err)
}
