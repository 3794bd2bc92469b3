package apply

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Kind is how one kind of knob is read and set. Look and Set touch the world; Want is pure. Set is idempotent: setting
// a state that already holds changes nothing, and setting it after a crash in the middle of Set finishes it. Set writes
// the persistent file first and the live value second, so that a crash between the two leaves what the next boot will
// complete.
type Kind interface {
	// Look returns the state that the knob is in now.
	Look(ctx context.Context, k Knob) (journal.State, error)
	// Want returns the state that the knob should be in to have the value, given
	// the one that it is in. value is spelled as SHOW or the kernel's file has it.
	Want(now journal.State, k Knob, value string) (journal.State, error)
	// Set brings the knob into a state.
	Set(ctx context.Context, k Knob, s journal.State) error
	// Ours reports whether a state that was found still has our value for this knob, though other things in its file
	// may have changed since: undo then takes out our value alone. Without returns that state.
	Ours(found, after journal.State, k Knob) bool
	Without(found, before journal.State, k Knob) (journal.State, error)
}

// Witness is what a kind may also be: it knows who else sets a knob, such as a file that is read later or a daemon. The
// clause is shown by status: "the file /etc/sysctl.d/99-x.conf, which is read later". "" if it cannot be known.
type Witness interface {
	Witness(ctx context.Context, k Knob, found journal.State) string
}

// Guard is what a kind may also be: it knows before the first write that a right
// is missing which the path of its file does not show, such as that to write to
// /proc/sys. The error is a *say.Problem with say.CodeNoAccess or
// say.CodeRefused, or one of io/fs.
type Guard interface {
	Allowed(ctx context.Context, k Knob) error
}

// Scribe is what a kind may also be: it does not always write its file itself, and so knows better than the permissions
// of the directory whether that may be written. The error is as that of Guard.
type Scribe interface {
	MayWrite(ctx context.Context, k Knob, f journal.File) error
}

// Speller is what a kind may also be: its live values are in another spelling than
// people write. Spell returns theirs, or the value as it is where that cannot be
// known.
type Speller interface {
	Spell(k Knob, live string) string
}

// Shortener is what a kind may also be: its values are long, and Short is what a person is shown of one.
type Shortener interface {
	Short(value string) string
}

// Stopper is what a kind may also be: to set it stops a server for a while. An
// undo then asks for as much as a restart does.
type Stopper interface {
	Stops(k Knob) bool
}

// Partial is implemented by kinds whose setting can be interrupted in the middle, or achieve less than was asked.
// Halfway reports whether a live value may be what a Set between the two states left, and no other value.
type Partial interface {
	Halfway(found, was, will journal.State, k Knob) bool
}

// Knob is one knob of one instance or of the host.
type Knob struct {
	Address  knob.Address
	Instance *snapshot.Instance // nil for the host's
	// Place is the file that an earlier look found to be the setting's, as the
	// journal has it, for undo and resume; "": Look finds it. Only of pg: knobs.
	Place string
	// To is the value that a step is about to give the knob; "" if none is. Of what 'pgfettle create' makes it is
	// what it gave, also while it is taken back.
	To string
}

// Noter is a kind that has something to say about a knob after it was set,
// though it was set: huge pages that stay until a server ends, options that a
// mount takes only when it is made again.
type Noter interface {
	Notes(k Knob) ([]string, error)
}
