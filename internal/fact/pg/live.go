package pg

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// The questions of a live view have a folder of their own: what they bring, the
// texts of queries among it, is shown and forgotten, and never evidence.
//
//go:embed sql/live/*.sql
var liveFiles embed.FS

// liveShared are the questions of every snapshot that a live view asks as well.
var liveShared = []string{"checkpoints", "databases", "io"}

// LiveQueries returns what a live view asks of a server of the given major
// version, again and again.
func LiveQueries(major int) ([]Query, error) {
	names, err := fs.Glob(liveFiles, "sql/live/*.sql")
	if err != nil {
		return nil, err
	}
	var out []Query
	for _, n := range names {
		b, err := liveFiles.ReadFile(n)
		if err != nil {
			return nil, err
		}
		q, err := parseQuery(n[len("sql/live/"):], string(b))
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	for _, q := range Queries(major, false) {
		if slices.Contains(liveShared, q.Name) {
			out = append(out, q)
		}
	}
	return out, nil
}

// LiveSession is one process that pg_stat_activity shows, with what it does now.
type LiveSession struct {
	PID         int
	Database    string   // "" for a process without one
	Role        string   // "" for a process without one, or a role that was dropped
	Application string   // application_name, whatever the client says
	Type        string   // backend_type
	State       string   // active, idle, …; "" where track_activities is off or the process has none
	WaitType    string   // wait_event_type; "": it waits for nothing
	WaitEvent   string   // wait_event
	QueryAge    *float64 // seconds since its last query began; nil: it ran none
	XactAge     *float64 // seconds since its transaction began; nil: it is in none
	Query       string   // its beginning
	Ours        bool     // the session that asked
	Hidden      bool     // of another role, and this one may not see what it does
}

// ReadLiveSessions reads the answer sessions of LiveQueries. Sessions that are
// hidden from the role are among them, marked, so that what is seen is shown.
func ReadLiveSessions(fsys fs.FS, key string) known.Fact[[]LiveSession] {
	f := list(fsys, key, "sessions", func(r *Row) LiveSession {
		s := LiveSession{PID: int(r.Int("pid")), Database: r.Text("datname"), Role: r.Text("usename"),
			Application: r.Text("application_name"),
			Type:        r.Text("backend_type"), State: r.Text("state"), WaitType: r.Text("wait_event_type"),
			WaitEvent: r.Text("wait_event"),
			QueryAge:  age(r, "query_age"), XactAge: age(r, "xact_age"), Query: r.Text("query"), Ours: r.Bool("ours")}
		if s.Hidden = !r.Has("backend_type") && r.Has("usename") && r.Has("datname"); s.Hidden {
			s.Query = "" // what stands there is «<insufficient privilege>»
		}
		if s.Ours {
			s.Query = "" // the question itself
		}
		return s
	})
	return known.Try(f, Path(key, "sessions"), func(l []LiveSession) ([]LiveSession, error) {
		if len(l) > maxBackends {
			return nil, errors.New("more sessions than a server can have")
		}
		for _, s := range l {
			if !isPID(s.PID) {
				return nil, fmt.Errorf("process id %d", s.PID)
			}
		}
		return l, nil
	})
}

// isPID says whether a number can be that of a process.
func isPID(n int) bool { return n > 0 && n <= 1<<31-1 }

// age reads a time that has passed; a clock that was set back makes it 0.
func age(r *Row, col string) *float64 {
	if !r.Has(col) {
		return nil
	}
	v := max(r.Float(col), 0)
	return &v
}

// LiveLock says that one process waits for a lock that another one has, or
// waits for before it.
type LiveLock struct {
	PID     int
	Blocker int // 0: a prepared transaction
}

// maxLocks bounds the answer: fifty waiters, each behind as many as there can be.
const maxLocks = 100_000

// ReadLiveLocks reads the answer locks of LiveQueries.
func ReadLiveLocks(fsys fs.FS, key string) known.Fact[[]LiveLock] {
	f := list(fsys, key, "locks", func(r *Row) LiveLock {
		return LiveLock{PID: int(r.Int("pid")), Blocker: int(r.Int("blocker"))}
	})
	return known.Try(f, Path(key, "locks"), func(l []LiveLock) ([]LiveLock, error) {
		if len(l) > maxLocks {
			return nil, errors.New("more locks than are asked for")
		}
		for _, e := range l {
			if !isPID(e.PID) || e.Blocker != 0 && !isPID(e.Blocker) {
				return nil, fmt.Errorf("process ids %d and %d", e.PID, e.Blocker)
			}
		}
		return l, nil
	})
}

// LivePosition is where a server is.
type LivePosition struct {
	InRecovery   bool
	LSN          known.Fact[unit.Bytes] // bytes of WAL since the cluster was made: written, or in recovery replayed
	CheckpointAt int64                  // start of the last checkpoint, seconds since the epoch
	StartedAt    int64                  // start of the server, seconds since the epoch
	Now          float64                // the server's clock, seconds since the epoch
}

// ReadLivePosition reads the answer position of LiveQueries.
func ReadLivePosition(fsys fs.FS, key string) known.Fact[LivePosition] {
	return single(fsys, key, "position", func(r *Row) LivePosition {
		p := LivePosition{InRecovery: r.Bool("in_recovery"), CheckpointAt: r.Int("checkpoint_at"),
			StartedAt: r.Int("started_at"), Now: r.Float("now")}
		p.LSN = known.None[unit.Bytes](known.Gap{Fact: Path(key, "position") + ": lsn",
			Reason: "no WAL was replayed yet"})
		if r.Has("lsn") {
			p.LSN = known.Is(r.Bytes("lsn"))
		}
		return p
	})
}
