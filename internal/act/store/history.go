// Package store keeps what was sampled over time in one SQLite file: series of
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
	"fmt"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// Dir is where the history of root lies.
const Dir = "/var/lib/pgfettle"

// File is its name, there and in pgfettle's directory of an ordinary user.
const File = "history.db"

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

// Errors that classify the failure (errors.Is).
var (
	ErrNone    = say.Err("no history found")                            // no such file
	ErrForeign = say.Err("not a history file of pgfettle")              // another file, or no SQLite at all
	ErrNewer   = say.Err("the history was written by a newer pgfettle") // its user_version is above ours
	ErrFull    = say.Err("the disk is full")                            // ENOSPC, a quota, or PagesMost
	// a mount that is read-only, or a missing right
	ErrReadOnly = say.Err("the history may not be written")
	ErrLocked   = say.Err("another process is writing the history") // it holds the lock longer than we wait
	ErrDamaged  = say.Err("the history is damaged")                 // SQLite says that the file is corrupt
	// after a failure; the disk was not touched
	ErrPaused = say.Err("writing is paused after a failure")
	// Append stored the others; see RefusedError
	ErrRefused = say.Err("some values were not stored")
)

// WriteError is a write that did not succeed; the file is as it was before.
type WriteError struct {
	Path  string
	First bool // the first of a series of failures: the one to report
	Err   error
}

// Error says which file, and why.
func (e *WriteError) Error() string { return e.In(nil) }

// In returns it in the language of a catalog.
func (e *WriteError) In(c *say.Catalogue) string {
	return say.M("history {file}: {reason}", "file", e.Path, "reason", e.Err).In(c)
}

// Unwrap returns the cause, which errors.Is compares with ErrFull and the others.
func (e *WriteError) Unwrap() error { return e.Err }

// RefusedError names points that were not kept, while the others were.
type RefusedError struct {
	Points []history.Point
	Reason string // of the first
	why    error
}

// Error says how many, and why the first.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("%d points were not kept: %s", len(e.Points), e.Reason)
}

// Unwrap makes it an ErrRefused.
func (e *RefusedError) Unwrap() error { return ErrRefused }
