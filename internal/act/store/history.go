// Package history keeps what was sampled over time in one SQLite file: series of
// numbers, events (a setting changed, a finding appeared, a gap), and every
// setting with the time of its changes. `watch` writes it; `history`, `serve`
// and plans read it, also while it is written.
//
// The file stays below 200 MB for one host and one year: a series is kept as it
// was sampled for two days, then by the minute, by ten minutes and by the hour
// (levels.go), as packed blocks (block.go). What people may want to read with
// sqlite3 itself, events and settings, are plain rows (schema.go).
//
// Times are kept in milliseconds since 1970, UTC. The clock may jump: nothing is
// refused for its time, and nothing is thrown away until the clock has held
// still for a day (prune in roll.go).
package store

import (
	"errors"
	"fmt"
	"time"
)

// Dir is where the history of root lies.
const Dir = "/var/lib/pgfettle"

// File is its name, there and in pgfettle's folder of an ordinary user.
const File = "history.db"

// Series names one line of numbers.
type Series struct {
	Instance string `json:"instance,omitempty"` // its data directory, else how it is reached (host:port); "" for the host. Not the key of a snapshot: that one is a number that may be another's next time
	Name     string `json:"name"`               // of Meanings
	Label    string `json:"label,omitempty"`    // such as the state of sessions; "" where the series has none
}

// Point is one value of a series. What is unknown has no point.
type Point struct {
	Series
	Value float64 // finite; numbers that are no integers keep seven digits
}

// Bucket is what became of a series in a span of time from At on.
type Bucket struct {
	At   time.Time `json:"at"` // when the span begins
	Min  float64   `json:"min"`
	Max  float64   `json:"max"`
	Mean float64   `json:"mean"` // of the samples, each weighing the same
	Last float64   `json:"last"`
	N    int       `json:"n"` // samples; never 0: where none was, there is no bucket
}

// Info is a series with the time that it spans.
type Info struct {
	Series
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// EventKind says what happened.
type EventKind string

// The kinds of event. Before, After and Subject of each:
const (
	SettingChanged  EventKind = "setting"          // Subject: the parameter; Before and After its values; Who and Where as far as visible
	FindingAppeared EventKind = "finding-appeared" // Subject: id of the check; After: severity
	FindingVanished EventKind = "finding-vanished" // Subject: id of the check; Before: severity
	FindingSeverity EventKind = "finding-severity" // Subject: id of the check; Before and After: severities
	PlanStale       EventKind = "plan-stale"       // Subject: the fact that moved; Before and After its values
	Restarted       EventKind = "restart"          // of an instance, or of the host where Instance is empty; After: when it was started
	OOMKill         EventKind = "oom-kill"         // Subject: name of the process that was killed, where it is known
	Gap             EventKind = "gap"              // nothing was stored from Since to At; Detail says why
	ClockJumped     EventKind = "clock"            // Before: the time of the sample before; After: of this one
	Limited         EventKind = "limit"            // something was not kept because a bound of the history was reached; Detail says which
)

// EventKinds are all kinds, in the order in which they are told.
func EventKinds() []EventKind {
	return []EventKind{SettingChanged, FindingAppeared, FindingVanished, FindingSeverity, PlanStale, Restarted, OOMKill, Gap, ClockJumped, Limited}
}

// Event is one thing that happened. Its texts are cut to EventTextMost bytes.
type Event struct {
	ID       int64     `json:"id"`             // grows with every event stored; 0: not stored yet
	At       time.Time `json:"at"`             // when it was seen
	Since    time.Time `json:"since,omitzero"` // it happened after this time; zero: not known, or exactly at At
	Kind     EventKind `json:"kind"`
	Instance string    `json:"instance,omitempty"` // "" for the host
	Subject  string    `json:"subject,omitempty"`
	Before   string    `json:"before,omitempty"`
	After    string    `json:"after,omitempty"`
	Who      string    `json:"who,omitempty"`
	Where    string    `json:"where,omitempty"` // file and line, or another place
	Detail   string    `json:"detail,omitempty"`
	Held     time.Time `json:"-"` // of a state that is told only after it has held: when it was first seen; not stored
}

// EventTextMost bounds each text of an event: a setting such as
// shared_preload_libraries or a whole line of a log fits.
const EventTextMost = 1024

// Setting is one parameter as it is in force.
type Setting struct {
	Value string `json:"value"` // in PostgreSQL's own spelling
	Where string `json:"where,omitempty"`
	Who   string `json:"who,omitempty"` // stored with an event only
}

// SettingChange is one difference between two times. Nil: it was not there.
type SettingChange struct {
	Name   string  `json:"name"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

// Finding is what is compared of a finding from one look to the next.
type Finding struct {
	Instance string `json:"instance,omitempty"`
	ID       string `json:"id"`
	Subject  string `json:"subject,omitempty"` // what of the host it is of, where one check finds several
	Severity string `json:"severity"`
	Title    string `json:"title"`
}

// Options of a history that is written.
type Options struct {
	// Interval is how often samples are to come; 0: 10 s. Three times as long
	// without one is a gap.
	Interval time.Duration
	// SeriesMost bounds how many series are kept; 0: 2000, which is the room for
	// thirty instances with all their states. Those beyond are refused, which an
	// event says once.
	SeriesMost int
	// Pause is how long nothing is tried after a write that did not succeed; 0: 1 min.
	Pause time.Duration
	// PagesMost bounds the file in pages of 8 kB; 0: 512 MB, more than twice of
	// what a year should take. At the bound the writer stops as on a full disk.
	PagesMost int
}

// Errors that tell what kind of failure it was (errors.Is).
var (
	ErrNone     = errors.New("there is no history")                           // no such file
	ErrForeign  = errors.New("the file is no history of pgfettle")            // another file, or no SQLite at all
	ErrNewer    = errors.New("the history was written by a newer pgfettle")   // its user_version is above ours
	ErrFull     = errors.New("the disk is full")                              // ENOSPC, a quota, or PagesMost
	ErrReadOnly = errors.New("the history may not be written")                // a mount that is read-only, or a missing right
	ErrLocked   = errors.New("another process writes the history")            // it holds the lock longer than we wait
	ErrDamaged  = errors.New("the history is damaged")                        // SQLite says that the file is corrupt
	ErrPaused   = errors.New("nothing is written until the pause has passed") // after a failure; the disk was not touched
	ErrRefused  = errors.New("some points were not kept")                     // Append stored the others; see RefusedError
)

// WriteError is a write that did not succeed; the file is as it was before.
type WriteError struct {
	Path  string
	First bool // the first of a row of failures: the one to tell a person
	Err   error
}

// Error says which file, and why.
func (e *WriteError) Error() string { return fmt.Sprintf("history %s: %v", e.Path, e.Err) }

// Unwrap returns the cause, which errors.Is compares with ErrFull and the others.
func (e *WriteError) Unwrap() error { return e.Err }

// RefusedError names points that were not kept, while the others were.
type RefusedError struct {
	Points []Point
	Reason string // of the first
	why    error
}

// Error says how many, and why the first.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%d points were not kept: %s", len(e.Points), e.Reason)
}

// Unwrap makes it an ErrRefused.
func (e *RefusedError) Unwrap() error { return ErrRefused }
