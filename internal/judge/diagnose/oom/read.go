package oom

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// Log is what logs of the kernel and of servers say about memory, as one story.
type Log struct {
	*kernlog.Log
	Server []Event       // of the servers' logs, in their order
	Last   kernlog.Stamp // of the last entry of a server, whatever it says; "" if none has a time
}

// Event is an entry of a server's log that bears on a kill.
type Event struct {
	At   kernlog.Stamp
	Kind pglog.Kind // ChildDied means one that signal 9 killed
	PID  int        // of the process that it is about; 0 if not logged
	By   int        // of the process that wrote it; 0: the prefix has none
	// of the process that died, in the server's words: "server process", "checkpointer process"; "" if the language is
	// not English
	Role      string
	Statement string // that it was running
	Text      string // the message
	Orphaned  bool   // a process ended because its postmaster was gone
	clock     int64  // as the server's clock showed it, microseconds; 0: the entry has no time of its own
	zone      string // of that clock, as written
}

// since is how long after another entry of the same log this one was written. The zone need not be known: it is the
// same.
func (e *Event) since(o *Event) (d time.Duration, ok bool) {
	if !e.At.Wall.IsZero() && !o.At.Wall.IsZero() {
		return e.At.Wall.Sub(o.At.Wall), true
	}
	if e.clock != 0 && o.clock != 0 && e.zone == o.zone {
		return time.Duration(e.clock-o.clock) * time.Microsecond, true
	}
	a, known := oomLocal(e.At.Text, o.At)
	b, both := oomLocal(o.At.Text, e.At)
	if known && both {
		return a.Sub(b), true
	}
	// Syslog has no year. It is the same, or the next.
	a, known = oomYearless(e.At.Text, 2000)
	b, both = oomYearless(o.At.Text, 2000)
	if known && both && a.Before(b) && b.Month() == time.December && a.Month() == time.January {
		b, _ = oomYearless(o.At.Text, 1999)
	}
	return a.Sub(b), known && both
}

const (
	oomMaxEvents = 4096
	oomMaxText   = 4096 // of a statement or a message that is kept
)

// Reader reads logs of the kernel and of servers, each alone or both mixed.
type Reader struct {
	kernel *kernlog.Reader
	feed   *pglog.Feed
	events []Event
	cut    bool
	at     kernlog.Stamp // of the entry that is open
	last   int64         // time of the last entry that has one, microseconds
	zone   []byte
}

// NewReader returns one that has read nothing.
func NewReader() *Reader {
	r := &Reader{}
	r.feed = pglog.NewFeed(r)
	r.kernel = kernlog.NewReader(r.line)
	return r
}

// Add reads one more log to its end. An error is one of reading.
func (r *Reader) Add(in io.Reader) error {
	err := r.kernel.Add(in)
	r.feed.End()
	return err
}

// Log returns all that was read.
func (r *Reader) Log() *Log {
	log := r.kernel.Log()
	log.Cut = log.Cut || r.cut
	l := &Log{Log: log, Server: r.events}
	if r.last != 0 {
		l.Last = oomStamp(r.last, string(r.zone))
	}
	return l
}

func (r *Reader) line(f *kernlog.Foreign) bool {
	taken, begun := r.feed.Line(f.Text, f.PID)
	if begun {
		r.at = kernlog.Stamp{Boot: -1}
		if !r.feed.Timed() {
			r.at = f.At()
		}
	}
	return taken
}

// Dump implements pglog.Sink: a kill has none.
func (r *Reader) Dump(*pglog.Dump) {}

// Entry implements pglog.Sink.
func (r *Reader) Entry(e *pglog.Entry) {
	if e.Timed {
		r.last, r.zone = e.Time, append(r.zone[:0], e.Zone...)
	}
	ev := Event{Kind: e.Kind(), By: e.PID, Text: oomKept(e.Message)}
	switch ev.Kind {
	case pglog.ChildDied:
		d, ok := e.Death()
		if !ok || d.Signal != 9 {
			return
		}
		ev.PID, ev.Role, ev.Statement = d.PID, d.What, oomKept(e.Running())
		ev.Statement = strings.TrimRight(ev.Statement, " \t\r\n")
	case pglog.ForkFailed:
		if !bytes.Contains(e.Message, []byte("allocate memory")) {
			return // a limit of processes, not memory
		}
		ev.PID = e.PID
	case pglog.OutOfMemory:
		if e.Severity < pglog.Error {
			return
		}
		ev.PID, ev.Statement = e.PID, oomKept(e.Statement)
		if len(e.Detail) > 0 {
			ev.Text += " (" + oomKept(e.Detail) + ")"
		}
	case pglog.EndingAll, pglog.Reinit, pglog.Interrupted, pglog.NotShutDown, pglog.RedoStart, pglog.RedoDone,
		pglog.Ready, pglog.Starting, pglog.ShutdownAsked, pglog.ShutDown:
	case pglog.PostmasterGone:
		ev.Orphaned, ev.PID = true, e.PID
	default:
		return
	}
	ev.At = r.at
	if e.Timed {
		ev.At = oomStamp(e.Time, string(e.Zone))
		ev.clock, ev.zone = e.Time, string(e.Zone)
	}
	if len(r.events) >= oomMaxEvents {
		r.events = append(r.events[:0], r.events[1:]...)
		r.cut = true
	}
	r.events = append(r.events, ev)
}

func oomKept(b []byte) string { return string(b[:min(len(b), oomMaxText)]) }

// oomStamp spells a time as a server writes it. Of the zones in letters only UTC
// and GMT mean one to everybody.
func oomStamp(micro int64, zone string) kernlog.Stamp {
	t := time.UnixMicro(micro).UTC()
	layout := "2006-01-02 15:04:05"
	if micro%1e6 != 0 {
		layout += ".000"
	}
	at := kernlog.Stamp{Text: t.Format(layout), Boot: -1}
	if zone != "" {
		at.Text += " " + zone
	}
	switch {
	case zone == "UTC" || zone == "GMT":
		at.Wall = t
	default:
		for _, z := range []string{"-07", "-0700", "-07:00"} {
			if w, err := time.Parse("2006-01-02 15:04:05.000000 "+z, t.Format("2006-01-02 15:04:05.000000 ")+
				zone); err == nil {
				at.Wall = w.UTC()
			}
		}
	}
	return at
}
