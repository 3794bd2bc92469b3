package serverlog

import (
	"bytes"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// Changed is a setting that a reload of the configuration changed.
type Changed struct {
	Name  string `json:"name"`
	Value string `json:"value"`           // as the log has it; "" if it is omitted
	Reset bool   `json:"reset,omitempty"` // it was removed from the configuration, and has its default again
	Time  string `json:"time,omitempty"`
}

// maxChanged is how many are kept: more of them are of scripts.
const maxChanged = 50

var (
	changedHead = []byte(`parameter "`)
	changedTo   = []byte(`" changed to "`)
	changedBack = []byte(`" removed from configuration file, reset to default`)
)

// changes gathers them in the order of the log.
type changes struct{ list []Changed }

// take reads "parameter "work_mem" changed to "64MB"".
func (s *changes) take(c *Collector, e *pglog.Entry, at stamp) {
	rest, ok := bytes.CutPrefix(e.Message, changedHead)
	if !ok || len(s.list) >= maxChanged {
		return
	}
	if name, ok := bytes.CutSuffix(rest, changedBack); ok {
		s.list = append(s.list, Changed{Name: shorten(string(name), 64), Reset: true, Time: at.String()})
		return
	}
	name, value, ok := bytes.Cut(rest, changedTo)
	if !ok {
		return
	}
	x := Changed{Name: shorten(string(name), 64), Time: at.String()}
	if !c.o.Redact { // it may be a command or a connection string
		x.Value = shorten(string(bytes.TrimSuffix(value, []byte(`"`))), maxSample)
	}
	s.list = append(s.list, x)
}

// sessions are the roles and databases of processes, of logs whose prefix does not show them.
type sessions map[int][2]string

// maxSessions are held.
const maxSessions = 10000

var (
	authorized  = []byte("connection authorized: ")
	replication = []byte("replication ")
)

// take reads "connection authorized: user=app database=shop application_name=x".
func (s sessions) take(e *pglog.Entry) {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(e.Message, replication), authorized)
	if !ok || e.PID == 0 || len(s) >= maxSessions {
		return
	}
	var user, database []byte
	for word := range bytes.FieldsSeq(rest) {
		if v, ok := bytes.CutPrefix(word, []byte("user=")); ok {
			user = v
		} else if v, ok := bytes.CutPrefix(word, []byte("database=")); ok {
			database = v
		}
	}
	s[e.PID] = [2]string{string(user), string(database)}
}

// name fills in the role and the database of an entry that has none.
func (s sessions) name(e *pglog.Entry) {
	if len(e.User) > 0 || len(e.Database) > 0 || e.PID == 0 {
		return
	}
	if who, ok := s[e.PID]; ok {
		e.User, e.Database = []byte(who[0]), []byte(who[1])
	}
}

// Phase is how far the server had come with a part of its start when it last said so.
type Phase struct {
	Name    string  `json:"name"` // as the log has it
	Seconds float64 `json:"seconds"`
	At      string  `json:"at,omitempty"` // LSN or path
}

var elapsed = []byte(", elapsed time: ")

// phaseOf reads "resetting unlogged relations (init), elapsed time: 10.00 s, current path: base/1".
func phaseOf(m []byte) (Phase, bool) {
	name, rest, ok := bytes.Cut(m, elapsed)
	if !ok || len(name) > 64 {
		return Phase{}, false
	}
	number, rest, ok := bytes.Cut(rest, []byte(" s, current "))
	if !ok {
		return Phase{}, false
	}
	seconds, err := strconv.ParseFloat(string(number), 64)
	_, at, _ := bytes.Cut(rest, []byte(": "))
	return Phase{Name: string(name), Seconds: seconds, At: shorten(string(at), maxSample)}, err == nil
}
