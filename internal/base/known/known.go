// Package known holds the one type in which every fact of a host or an
// instance travels: a value that is present, or the reason why it is not.
//
// A fact that could not be read is never zero. The only way to reach the value is Get, which also reports whether there
// is one, so a caller has to decide what a missing fact means.
package known

import (
	"encoding/json"
	"errors"
	"fmt"
)

// State says how much is known of a fact.
type State uint8

// The states. The zero value is Unread, so a forgotten field can never pass
// for a fact.
const (
	Unread    State = iota // not collected, malformed, timed out
	Present                // read, and here it is
	Absent                 // looked for, and this kernel, build or host does not have it
	Forbidden              // it exists or may exist, but a right was missing
)

var stateNames = [...]string{"unread", "present", "absent", "forbidden"}

// String returns the state as it is spelled in JSON.
func (s State) String() string { return stateNames[s] }

// Gap describes what is unknown, why, and what would reveal it.
type Gap struct {
	Fact   string `json:"fact"`             // name of the fact, such as "proc/meminfo" or "pg/1/settings"
	Reason string `json:"reason"`           // one clause, lower case, no full stop
	Reveal string `json:"reveal,omitempty"` // the right or command that would reveal it; empty when nothing would
}

// Fact is a value of type T that is present, or a Gap that says why not.
type Fact[T any] struct {
	value T
	state State
	gap   Gap
}

// Is returns a present fact.
func Is[T any](v T) Fact[T] { return Fact[T]{value: v, state: Present} }

// None returns an absent fact: it was looked for and does not exist here.
func None[T any](g Gap) Fact[T] { return Fact[T]{state: Absent, gap: g} }

// Barred returns a forbidden fact: a right was missing.
func Barred[T any](g Gap) Fact[T] { return Fact[T]{state: Forbidden, gap: g} }

// Missed returns an unread fact: it could not be read, or its content was malformed.
func Missed[T any](g Gap) Fact[T] { return Fact[T]{state: Unread, gap: g} }

// Without returns a fact in the given state, which must not be Present.
func Without[T any](s State, g Gap) Fact[T] {
	if s == Present {
		s = Unread
	}
	return Fact[T]{state: s, gap: g}
}

// Get returns the value and whether there is one.
func (f Fact[T]) Get() (T, bool) { return f.value, f.state == Present }

// Known reports whether the fact is present.
func (f Fact[T]) Known() bool { return f.state == Present }

// State returns how much is known.
func (f Fact[T]) State() State { return f.state }

// Gap returns why the fact is missing; the zero Gap when it is present.
func (f Fact[T]) Gap() Gap { return gapOf(f.state, f.gap) }

// What follows is no method, as the compiler makes each method again for each type of
// fact in each package that has one.

func gapOf(s State, g Gap) Gap {
	if s == Unread && g == (Gap{}) {
		return Gap{Fact: "(unnamed)", Reason: "not collected"}
	}
	return g
}

// Map applies fn to a present value; a missing fact stays missing for the same reason.
func Map[T, U any](f Fact[T], fn func(T) U) Fact[U] {
	if f.state != Present {
		return Fact[U]{state: f.state, gap: f.gap}
	}
	return Is(fn(f.value))
}

// Try applies fn to a present value; an error makes the fact Unread, named name.
func Try[T, U any](f Fact[T], name string, fn func(T) (U, error)) Fact[U] {
	if f.state != Present {
		return Fact[U]{state: f.state, gap: f.gap}
	}
	v, err := fn(f.value)
	if err != nil {
		return Missed[U](Gap{Fact: name, Reason: "malformed: " + err.Error()})
	}
	return Is(v)
}

type wire struct {
	Is        json.RawMessage `json:"is,omitempty"`
	Absent    *Gap            `json:"absent,omitempty"`
	Forbidden *Gap            `json:"forbidden,omitempty"`
	Unread    *Gap            `json:"unread,omitempty"`
}

// MarshalJSON writes {"is":…}, {"absent":gap}, {"forbidden":gap} or {"unread":gap}.
func (f Fact[T]) MarshalJSON() ([]byte, error) { return marshal(f.value, f.state, f.gap) }

func marshal(value any, s State, g Gap) ([]byte, error) {
	if s == Present {
		// Written manually: a RawMessage in wire would be checked and copied once more, and the settings of a server
		// are some 100 kB.
		v, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		b := make([]byte, 0, len(v)+len(`{"is":}`))
		return append(append(append(b, `{"is":`...), v...), '}'), nil
	}
	var w wire
	g = gapOf(s, g)
	switch s {
	case Absent:
		w.Absent = &g
	case Forbidden:
		w.Forbidden = &g
	default:
		w.Unread = &g
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *Fact[T]) UnmarshalJSON(b []byte) error {
	var read Fact[T]
	err := unmarshal(b, &read.value, &read.state, &read.gap)
	if err == nil {
		*f = read
	}
	return err
}

func unmarshal(b []byte, value any, s *State, g *Gap) error {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return fmt.Errorf("fact: %w", err)
	}
	switch {
	case w.Is != nil:
		if err := json.Unmarshal(w.Is, value); err != nil {
			return fmt.Errorf("fact: %w", err)
		}
		*s = Present
	case w.Absent != nil:
		*s, *g = Absent, *w.Absent
	case w.Forbidden != nil:
		*s, *g = Forbidden, *w.Forbidden
	case w.Unread != nil:
		*s, *g = Unread, *w.Unread
	default:
		return errors.New("fact: neither a value nor a reason")
	}
	return nil
}
