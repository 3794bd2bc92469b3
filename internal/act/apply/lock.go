package apply

import (
	"context"
	"errors"
	"path"
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
		return nil, noJournal("the folder "+dir, err)
	}
	for said := false; ; {
		unlock, err := w.Target.Lock(path.Join(dir, "lock"), w.Holder)
		var held *target.Held
		if !errors.As(err, &held) {
			if err != nil {
				return nil, noJournal("the lock "+path.Join(dir, "lock"), err)
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
