package history

import (
	"time"
)

// EventFilter says which events are asked for. What is zero does not narrow.
type EventFilter struct {
	From, To time.Time // To itself is not in
	Instance *string   // "" is the host
	AndHost  bool      // with Instance: what is of the host too
	Kinds    []EventKind
	After    int64 // only those with a greater ID, such as a page that was sent some has still to get
	Most     int   // the newest so many; 0: 1000; 20,000 at most
}

// EventKind says what happened.
type EventKind string

// The kinds of event. Before, After and Subject of each:
const (
	// Subject: the parameter; Before and After its values; Who and Where as far as visible
	SettingChanged  EventKind = "setting"
	FindingAppeared EventKind = "finding-appeared" // Subject: id of the check; After: severity
	FindingVanished EventKind = "finding-vanished" // Subject: id of the check; Before: severity
	FindingSeverity EventKind = "finding-severity" // Subject: id of the check; Before and After: severities
	PlanStale       EventKind = "plan-stale"       // Subject: the fact that moved; Before and After its values
	// of an instance, or of the host if Instance is empty; After: when it was started
	Restarted   EventKind = "restart"
	OOMKill     EventKind = "oom-kill" // Subject: name of the process that was killed, if it is known
	Gap         EventKind = "gap"      // nothing was stored from Since to At; Detail says why
	ClockJumped EventKind = "clock"    // Before: the time of the sample before; After: of this one
	// something was not kept because a bound of the history was reached; Detail says which
	Limited EventKind = "limit"
)

// EventKinds are all kinds, in the order in which they are shown.
func EventKinds() []EventKind {
	return []EventKind{SettingChanged, FindingAppeared, FindingVanished, FindingSeverity, PlanStale, Restarted, OOMKill,
		Gap, ClockJumped, Limited}
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
	Held     time.Time `json:"-"` // when a state that is reported only after it has lasted was first seen; not stored
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
	Subject  string `json:"subject,omitempty"` // the part of the host it concerns, if one check finds several
	Severity string `json:"severity"`
	Title    string `json:"title"`
}
