package apply

import (
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// System is where a plan is applied, and by what means.
type System struct {
	Target target.Target
	Kinds  map[string]Kind // by the prefix of the address: pg, sysctl, …

	// Activate reloads or restarts the instance with this snapshot.Instance.Key,
	// waits until it is up and returns why it is not, with the lines of its log
	// that say so. Called with Restart on an instance that is down it starts it.
	// nil: there is no server, as under --root.
	Activate func(ctx context.Context, key string, e knob.Effect) error
	// Verify tries the settings that an instance would have with the installed
	// binary, before anything is written. nil: there is nothing to try with.
	Verify func(ctx context.Context, key string, changes []plan.Change) error

	Tell func(string)     // one line of progress for a person; may be nil
	Now  func() time.Time // clock of the journal

	Dir      string // of the journals; "": journal.Dir
	Tool     string // name and version, for the journal
	Hostname string // a journal is carried on only on the host that it is of
	Root     string // --root DIR, or ""
	Suffix   string // random letters and digits that end the id of a new journal
	Holder   string // who we are, for another apply that finds the lock taken: "process 1234 (pgfettle apply)"
}

func (w *System) tell(s string) {
	if w.Tell != nil {
		w.Tell(s)
	}
}

func (w *System) dir() string {
	if w.Dir == "" {
		return journalfile.Dir
	}
	return w.Dir
}

// Result is how it ended. Journal is nil if nothing was begun.
type Result struct {
	Journal *journal.Journal
	Left    []selection.Left // changes of the plan that were omitted from the start
}
