package apply

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// Sweeper is what a kind may also be: its files are of an instance, and what was
// left beside one is removed as the instance's account.
type Sweeper interface {
	Sweep(k Knob, name string) error
}

func (e *operation) sweepOf(c *journal.Change, name string) error {
	if c.Instance == "" {
		if e.w.Target.UID() == 0 {
			if err := target.RootsOwn(e.w.Target, path.Dir(name)); err != nil {
				return err
			}
		}
		return e.w.Target.Sweep(name)
	}
	kind, k, err := e.begun(c)
	if s, ok := kind.(Sweeper); ok && err == nil {
		return s.Sweep(k, name)
	}
	if e.w.Target.UID() != 0 {
		return e.w.Target.Sweep(name)
	}
	return nil // if an instance is not found, no directory is entered
}

// sweep removes what a step that was killed has left half-written beside its file: nothing else would, and a directory
// that we created stays while it is there. Failing to remove it does not stop the run.
func (e *operation) sweep() {
	done := map[string]bool{}
	for i := range e.log.Changes {
		f := e.log.Changes[i].Will.File
		if f == nil || done[f.Path] {
			continue
		}
		done[f.Path] = true
		if err := e.sweepOf(&e.log.Changes[i], f.Path); err != nil {
			e.w.tell(err.Error())
		}
	}
}
