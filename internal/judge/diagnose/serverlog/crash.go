package serverlog

import (
	"bytes"
	"fmt"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// maxCrashes is how many crashes are told one by one: who has more has one cause.
const maxCrashes = 50

// crashes follows the server from the death of a process, or from a start that
// finds no clean end, to the moment that it accepts connections again.
type crashes struct {
	list     []Crash
	count    int64
	open     *Crash
	began    stamp
	redo     stamp
	stopping bool   // a shutdown was asked for
	how      string // which, until the next start
	starts   int64
	stops    int64
	ready    bool // connections are accepted
	first    stamp
	last     stamp
}

// during watches what comes between.
func (s *crashes) during(e *pglog.Entry) {
	m := e.Message
	if e.Severity != pglog.Log || len(m) < 16 {
		return
	}
	switch m[0] {
	case 'e', 's':
		// A backup that is restored looks like a crash, and a standby that comes
		// up too: neither is one.
		if s.open.Process == "" && (bytes.HasPrefix(m, []byte("entering standby mode")) ||
			bytes.HasPrefix(m, []byte("starting backup recovery")) ||
			bytes.HasPrefix(m, []byte("starting archive recovery")) ||
			bytes.HasPrefix(m, []byte("starting point-in-time recovery"))) {
			s.open = nil
			s.redo = stamp{}
		}
	}
}

func (s *crashes) take(c *Collector, e *pglog.Entry, k pglog.Kind, at stamp) {
	switch k {
	case pglog.ChildDied:
		d, ok := e.Death()
		// A startup process that gives up ends with 1; the server then ends too.
		if !ok || !d.Crash() && d.What != "startup process" || s.stopping && d.Signal == 0 {
			return
		}
		if d.What == "" { // the message is in another language
			d.What = "a process of the server"
		}
		s.close(stamp{})
		s.begin(at, &Crash{Process: d.What, PID: d.PID, Signal: d.Signal, ExitCode: d.Exit,
			Statement: c.normal(e.Running()), Cause: deathOf(d)})
		if d.Signal != 0 {
			s.open.ExitCode = -1
		}
	case pglog.CrashNotice:
		if s.open == nil {
			s.begin(at, &Crash{ExitCode: -1,
				Cause: "a process of the server crashed; the line of its death is not in the log"})
		}
		s.open.ProcessesEnded++
	case pglog.Reinit:
		if s.open == nil {
			s.begin(at, &Crash{ExitCode: -1,
				Cause: "a process of the server crashed; the line of its death is not in the log"})
		}
	case pglog.Interrupted:
		if s.open == nil {
			cause := "the server ended without a word in the log: the postmaster was killed, or the host lost power " +
				"or was reset"
			if s.how == "immediate" {
				cause = "an immediate shutdown (pg_ctl stop -m immediate, or SIGQUIT to the postmaster): it is a " +
					"crash on purpose"
			}
			s.begin(at, &Crash{ExitCode: -1, Cause: cause})
		}
	case pglog.RedoStart:
		s.redo = at
	case pglog.RedoDone:
		if s.open != nil {
			if v, ok := at.since(s.redo); ok {
				s.open.RecoverySeconds = v
			}
		}
	case pglog.NotAccepting:
		if s.open != nil {
			s.open.Refused++
		}
	case pglog.Starting:
		s.starts++
		s.stopping = false
		if s.open != nil && s.open.Process != "" {
			// The server did not start over by itself: what ends now is the wait
			// for somebody who started it.
			s.open.Cause += "; the server did not start over by itself"
		}
	case pglog.ShutdownAsked:
		s.stopping = true
		s.how = ""
		if bytes.HasPrefix(e.Message, []byte("received immediate")) {
			s.how = "immediate"
		}
	case pglog.ShutDown:
		s.stopping = false
		if s.how != "immediate" {
			s.stops++
		}
	case pglog.Ready:
		s.stopping, s.how = false, ""
		s.close(at)
	}
}

func (s *crashes) begin(at stamp, crash *Crash) {
	crash.Time, crash.DownSeconds, crash.RecoverySeconds = at.String(), -1, -1
	s.open, s.began, s.redo = crash, at, stamp{}
	if s.count == 0 {
		s.first = at
	}
	s.last = at
}

// close ends the crash that is being followed; without a time, by the next one or
// by the end of the log.
func (s *crashes) close(at stamp) {
	if s.open == nil {
		return
	}
	if v, ok := at.since(s.began); ok {
		s.open.DownSeconds = v
	}
	s.count++
	if len(s.list) < maxCrashes {
		s.list = append(s.list, *s.open)
	}
	s.open = nil
}

func deathOf(d pglog.Death) string {
	switch {
	case d.Signal == 9:
		return fmt.Sprintf(
			"%s (PID %d) was killed by signal 9: by the kernel for want of memory, or by somebody with kill -9; the "+
				"server's log cannot tell which", d.What, d.PID)
	case d.Signal == 11 || d.Signal == 4 || d.Signal == 7 || d.Signal == 8:
		return fmt.Sprintf(
			"%s (PID %d) crashed by signal %d: a fault in the server or an extension, or in the hardware", d.What,
			d.PID, d.Signal)
	case d.Signal == 6:
		return fmt.Sprintf(
			"%s (PID %d) aborted (signal 6): after a PANIC, which stands before it, or a failed assertion",
			d.What, d.PID)
	case d.Signal != 0:
		return fmt.Sprintf("%s (PID %d) was ended by signal %d", d.What, d.PID, d.Signal)
	case d.What == "startup process":
		return fmt.Sprintf(
			"the startup process (PID %d) gave up with exit code %d: the reason stands before it in the log",
			d.PID, d.Exit)
	case d.Exit < 0:
		return fmt.Sprintf("%s (PID %d) ended in a way that this program does not know", d.What, d.PID)
	}
	return fmt.Sprintf("%s (PID %d) exited with code %d", d.What, d.PID, d.Exit)
}
