package target

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// NoAccess turns a right that is missing, or room, into a problem that names it;
// any other error is wrapped with what.
func NoAccess(what string, err error) error {
	var told *say.Problem
	switch {
	case errors.As(err, &told):
		return err
	case errors.Is(err, syscall.EROFS):
		return &say.Problem{Message: say.M("{what} cannot be written", "what", what), Detail: say.OfError(err),
			Hint: say.M("its filesystem is mounted read-only: remount it, or apply from outside of the container"),
			Code: say.CodeNoAccess}
	case errors.Is(err, ErrImmutable):
		return &say.Problem{Message: say.M("{what} may not be written", "what", what), Detail: say.OfError(err),
			Hint: say.M("lsattr shows the attribute i or a, which also stops root: chattr -i -a removes it"),
			Code: say.CodeNoAccess}
	case errors.Is(err, fs.ErrPermission):
		return &say.Problem{Message: say.M("{what} may not be written", "what", what), Detail: say.OfError(err),
			Hint: say.M("run it as root"),
			Code: say.CodeNoAccess}
	case IsFull(err):
		return &Unwritten{&say.Problem{Message: say.M("{what} cannot be written", "what", what),
			Detail: say.OfError(err),
			Hint:   say.M("its filesystem is full: make room, then try again"), Code: say.CodeError}, err}
	}
	return say.Named(what, err)
}

func IsFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// Unwritten is a problem with its cause: what could not be written for want of
// room, or a line that the journal did not take, whose step is then not taken,
// nor any after it.
type Unwritten struct {
	Problem *say.Problem
	Err     error
}

func (u *Unwritten) Error() string { return u.Problem.Error() }

func (u *Unwritten) Unwrap() []error { return []error{u.Problem, u.Err} }
