// Package apply carries a plan out, and takes it back: one file a kind of knob.
// The intention is journalled before a knob is touched and the result is read
// back after; a crash anywhere leaves each knob as it was or as it should be,
// and the journal says which.
package apply

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Kind is how one kind of knob is looked at and set. Look and Set touch the
// world; Want is pure. Set is idempotent: setting a state that already holds
// changes nothing, and setting it after a crash in the middle of Set finishes
// it. Set writes the persistent file first and the live value second, so that a
// crash between the two leaves what the next boot will complete.
type Kind interface {
	// Look returns the state that the knob is in now.
	Look(ctx context.Context, k Knob) (journal.State, error)
	// Want returns the state that the knob should be in to have the value, given
	// the one that it is in. value is spelled as SHOW or the kernel's file has it.
	Want(now journal.State, k Knob, value string) (journal.State, error)
	// Set brings the knob into a state.
	Set(ctx context.Context, k Knob, s journal.State) error
	// Ours says whether a state that was found still has our value for this knob,
	// though other things in its file may have changed since: undo then takes out
	// our value alone. Without returns that state.
	Ours(found, after journal.State, k Knob) bool
	Without(found, before journal.State, k Knob) (journal.State, error)
}

// Knob is one knob of one instance or of the host.
type Knob struct {
	Address  knob.Address
	Instance *snapshot.Instance // nil for the host's
}
