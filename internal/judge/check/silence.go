package check

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// Silence returns why the server of a running instance answered nothing; ok is
// false if it answered something or is not running.
func (c *Case) Silence() (f pg.Failure, ok bool) {
	if running, known := Need(c, c.Instance.Running); !known || !running {
		return pg.Failure{}, false
	}
	s := c.Instance.Server.Silence
	switch {
	case s.Connection != nil:
		return *s.Connection, true
	case s.Answered > 0 || len(s.Failed) == 0:
		return pg.Failure{}, false
	}
	return s.Failed[0], true
}

// CatalogsLocked reports whether locks on catalogs are what keeps the server silent, as far as that is known.
func (c *Case) CatalogsLocked() bool {
	s := c.Instance.Server.Silence
	if s.Connection != nil {
		holders, _ := s.Holders.Get()
		return s.Connection.Cause == pg.TimedOut && (len(holders) > 0 || c.SessionTitles().Stuck > 0)
	}
	return LockFailures(s) > 0
}

// LockFailures counts the queries that waited for a lock in vain. A query that
// timed out otherwise counts if a session held a lock on a catalog at the time.
func LockFailures(s pg.Silence) (n int) {
	holders, _ := s.Holders.Get()
	for _, f := range s.Failed {
		if f.Cause == pg.NoLock || len(holders) > 0 && f.Cause.Kind() == pg.Waits {
			n++
		}
	}
	return n
}

// Titles are the client sessions as the host shows them, by the titles of
// their processes: all that is known if the server does not answer.
type Titles struct {
	Clients, Idle, InXact int
	Stuck                 int           // on their way in, and waiting for a lock
	Open                  []say.Message // those idle in transaction: process and title
}

func (c *Case) SessionTitles() (t Titles) {
	processes, _ := c.Instance.Processes.Get()
	for _, p := range processes {
		if p.Kind != host.KindBackend {
			continue
		}
		t.Clients++
		switch {
		// A backend that waits for a lock before its first query waits for a catalog.
		case strings.HasSuffix(p.Title, " startup waiting"), strings.HasSuffix(p.Title, " authentication waiting"):
			t.Stuck++
		case strings.HasSuffix(p.Title, " idle"):
			t.Idle++
		case strings.Contains(p.Title, " idle in transaction"):
			t.InXact++
			t.Open = append(t.Open, say.M("process {pid} ({title})", "pid", strconv.Itoa(p.PID), "title", p.Title))
		}
	}
	return t
}

// FailureText is a reason with the SQLSTATE by which it is looked up in any language.
func FailureText(f pg.Failure) any {
	if f.Cause.SQLState() {
		return "\"" + f.Reason + "\" (SQLSTATE " + string(f.Cause) + ")"
	}
	return gapwords.Arg(f.Reason)
}
