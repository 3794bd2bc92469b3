package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// noAccess turns a right that is missing, or room, into a problem that names it;
// any other error is wrapped with what.
func noAccess(what string, err error) error {
	var told *say.Problem
	switch {
	case errors.As(err, &told):
		return err
	case errors.Is(err, syscall.EROFS):
		return &say.Problem{Message: what + " cannot be written", Detail: err.Error(),
			Hint: "its filesystem is mounted read-only: remount it, or apply from outside of the container", Code: say.CodeNoAccess}
	case errors.Is(err, target.ErrImmutable):
		return &say.Problem{Message: what + " may not be written", Detail: err.Error(),
			Hint: "lsattr shows the attribute i or a, which stops root too: whoever set it takes it off with chattr -i -a", Code: say.CodeNoAccess}
	case errors.Is(err, fs.ErrPermission):
		return &say.Problem{Message: what + " may not be written", Detail: err.Error(), Hint: "run it as root", Code: say.CodeNoAccess}
	case full(err):
		return &unwritten{&say.Problem{Message: what + " cannot be written", Detail: err.Error(),
			Hint: "its filesystem is full: make room, then try again", Code: say.CodeError}, err}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// noJournal is noAccess for what may lie elsewhere too.
func noJournal(what string, err error) error {
	err = noAccess(what, err)
	if p, ok := err.(*say.Problem); ok {
		p.Hint += ", or name another folder for the journals with --journal"
	}
	return err
}

func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// unwritten is a problem with its cause: what could not be written for want of
// room, or a line that the journal did not take, whose step is then not taken,
// nor any after it.
type unwritten struct {
	problem *say.Problem
	err     error
}

func newUnwritten(id string, err error) *unwritten {
	hint := "look at the filesystem of the journal"
	if full(err) {
		hint = "make room on the filesystem of the journal"
	}
	return &unwritten{&say.Problem{Message: "stopped, as the journal cannot be written", Detail: err.Error(),
		Hint: hint + "; then 'pgfettle apply --resume' goes on, and 'pgfettle undo " + id + "' takes it back", Code: say.CodePartly}, err}
}

func (u *unwritten) Error() string   { return u.problem.Error() }
func (u *unwritten) Unwrap() []error { return []error{u.problem, u.err} }

func isUnwritten(err error) bool { _, ok := errors.AsType[*unwritten](err); return ok }
