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
		p.Hint = say.All(", ", p.Hint, say.M("or name another directory for the journals with --journal"))
	}
	return err
}

func newUnwritten(id string, err error) *target.Unwritten {
	hint := say.M("look at the filesystem of the journal")
	if target.IsFull(err) {
		hint = say.M("make room on the filesystem of the journal")
	}
	return &target.Unwritten{Problem: &say.Problem{Message: say.M("stopped, as the journal cannot be written"),
		Detail: say.OfError(err),
		Hint: say.M("{hint}; then 'pgfettle apply --resume' continues, and 'pgfettle undo {id}' undoes it", "hint",
			hint, "id", id),
		Code: say.CodePartly}, Err: err}
}

func isUnwritten(err error) bool { _, ok := errors.AsType[*target.Unwritten](err); return ok }
