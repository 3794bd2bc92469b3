// Package journal is what an apply intended and what it then did, as lines: one JSON object each, on disk before the
// next step is taken (act/journalfile). After a crash, the journal shows for every knob whether it has its old or its
// new value, and how to restore either: the lines are folded into a Journal, with what is in place, what is owed, and
// what the lines do not prove. Each line has its number and a checksum that covers the line before it too, so that a
// journal which was damaged can be distinguished from one that a crash ended.
package journal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// Schema names the version of the lines.
const Schema = "pgfettle.journal/2"

// State is one knob as it is or as it should be: the value in force, and the
// whole persistent file that keeps it over a restart. Either may be missing: a
// file in an image has no live value, a setting of a server reached over SQL
// has no file that we see.
type State struct {
	// value in force, as the kernel's file or pg_settings has it; nil: none, or not read
	Live *string `json:"live,omitempty"`
	File *File   `json:"file,omitempty"` // nil: this knob has no file
}

// File is the content of one file, or that there is none.
type File struct {
	Path string `json:"path"`
	// nil: there is no such file; bytes that are no UTF-8 are refused before an intention is written
	Text *string `json:"text"`
	Mode uint32  `json:"mode,omitempty"` // permission bits
	UID  int     `json:"uid"`
	GID  int     `json:"gid"`
	// Missing is the topmost directory of Path that does not exist either: putting this state back removes the
	// directories from the file's own up to it, as far as they are empty.
	Missing string `json:"missing,omitempty"`
	// Over is the only file that this one may replace; nil: any. It belongs to a step in progress, and is in no
	// journal.
	Over *File `json:"-"`
}

// Kind says what a line records.
type Kind string

// The kinds of line, in the order in which they come. N names the change from
// its planned line on.
const (
	Begin   Kind = "begin"   // an apply starts: Run is set
	Planned Kind = "planned" // what it means to do: one line a change, before the first is touched
	Intend  Kind = "intend"  // the next step will bring Address from Before to After
	Done    Kind = "done"    // it did, and reading back showed it
	// it did not, and Before was restored: Reason says why. After undoing: it could not be undone
	Failed   Kind = "failed"
	Skipped  Kind = "skipped"  // it was not begun and will not be: Reason says why
	Activate Kind = "activate" // the next step reloads or restarts an instance: Effect says which
	Active   Kind = "active"   // it did, and the server is up
	Revert   Kind = "revert"   // it did not: the next steps bring the changes of the instance back; Reason says why
	Resume   Kind = "resume"   // an apply that was interrupted goes on
	Undo     Kind = "undo"     // an undo starts
	Undoing  Kind = "undoing"  // the next step will bring it from Before, as found, to After
	Undone   Kind = "undone"   // it did
	Kept     Kind = "kept"     // undo skipped it because it was changed since; Reason shows what was found
	Damaged  Kind = "damaged"  // an undo found that the lines which were here prove nothing: Damage says which
	Left     Kind = "left"     // reading back at the end of an undo: it is not as before, and Reason says how it is
	Checked  Kind = "checked"  // reading back came to its end
	Abandon  Kind = "abandon"  // its instance is gone, and a person said that it is not waited for
	End      Kind = "end"      // the apply or undo came to its end
)

// Line is one line of a journal.
type Line struct {
	Kind     Kind         `json:"kind"`
	At       int64        `json:"at"`          // seconds since the epoch
	N        int          `json:"n,omitempty"` // of the change, from 1; 0: the line is of no change
	Run      *Run         `json:"run,omitempty"`
	Address  knob.Address `json:"address,omitempty"`
	Instance string       `json:"instance,omitempty"` // data directory; "" for the host
	Effect   knob.Effect  `json:"effect,omitempty"`   // absent: now
	From     string       `json:"from,omitempty"`     // as a person spells it
	To       string       `json:"to,omitempty"`
	Before   *State       `json:"before,omitempty"`
	After    *State       `json:"after,omitempty"`
	Reason   string       `json:"reason,omitempty"`
	Notes    []string     `json:"notes,omitempty"` // further remarks on a step that succeeded
	// of a planned change: where its value was before anything was done
	Held   Part    `json:"held,omitempty"`
	Damage *Damage `json:"damage,omitempty"`
	Seq    int     `json:"seq"` // number of the line, from 1; its checksum follows it
}

// Part is a part of a knob's state, or both of them.
type Part string

// The parts.
const (
	InFile Part = "file"
	InLive Part = "live"
	InBoth Part = "both"
)

// Has reports whether a part is, or has in it, another one.
func (p Part) Has(q Part) bool { return p == q || p == InBoth }

// Run is the head of a journal.
type Run struct {
	Schema   string `json:"schema"`
	ID       string `json:"id"`
	Tool     string `json:"tool"`
	Plan     string `json:"plan"`           // hash of the snapshot that the plan is based on
	Hostname string `json:"hostname"`       // so that a journal copied elsewhere is not undone there
	Root     string `json:"root,omitempty"` // --root DIR, as it was called when it was applied
	Changes  int    `json:"changes"`        // planned lines, which are on disk together with the first one
}

// Of reports whether a journal is of this host, or, if root is set, of this tree of files: what was applied to a tree
// is in the tree, and belongs to it wherever it is copied and by whichever path it is reached.
func (r Run) Of(hostname, root string) bool {
	if root != "" {
		return r.Root != ""
	}
	return r.Root == "" && r.Hostname == hostname
}
