package linux

import (
	"context"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// plainFile is a file of root's that 'pgfettle create' writes, such as a unit: its whole text is the value.
type plainFile struct{ Host }

// Look implements Kind.
func (p plainFile) Look(_ context.Context, k apply.Knob) (st journal.State, err error) {
	st.File, err = p.lookFile(k.Address.Name())
	return st, err
}

// Want implements Kind.
func (p plainFile) Want(now journal.State, _ apply.Knob, value string) (journal.State, error) {
	text := &value
	if value == newcluster.Absent {
		text = nil
	}
	return journal.State{File: withText(now.File, text)}, nil
}

// Set implements Kind.
func (p plainFile) Set(_ context.Context, _ apply.Knob, st journal.State) error {
	return p.setFile(st.File)
}

// Ours implements Kind: the whole of it is ours or nothing.
func (p plainFile) Ours(found, after journal.State, _ apply.Knob) bool { return found.SameFile(after) }

// Without implements Kind.
func (p plainFile) Without(_, before journal.State, _ apply.Knob) (journal.State, error) {
	return before, nil
}

// Short implements Shortener.
func (p plainFile) Short(value string) string { return newcluster.Short(value) }
