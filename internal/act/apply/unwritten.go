package apply

import (
	"errors"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// noJournal is noAccess for what may lie elsewhere too.
func noJournal(what string, err error) error {
	err = target.NoAccess(what, err)
	if p, ok := err.(*say.Problem); ok {
		p.Hint += ", or name another folder for the journals with --journal"
	}
	return err
}

func newUnwritten(id string, err error) *target.Unwritten {
	hint := "look at the filesystem of the journal"
	if target.IsFull(err) {
		hint = "make room on the filesystem of the journal"
	}
	return &target.Unwritten{Problem: &say.Problem{Message: "stopped, as the journal cannot be written",
		Detail: err.Error(),
		Hint:   hint + "; then 'pgfettle apply --resume' goes on, and 'pgfettle undo " + id + "' takes it back",
		Code:   say.CodePartly}, Err: err}
}

func isUnwritten(err error) bool { _, ok := errors.AsType[*target.Unwritten](err); return ok }
