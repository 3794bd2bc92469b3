package pg

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Backend is one process that pg_stat_activity shows.
type Backend struct {
	PID      int    `json:"pid"`      // as the server sees it: inside a container its own number
	Database string `json:"database"` // "" for a process without one
	Role     string `json:"role"`     // "" for a process without one, or a role that was dropped
	// active, idle, idle in transaction, …; "" where track_activities is off or the process has none
	State string `json:"state"`
	Type  string `json:"type"` // backend_type: client backend, checkpointer, …
	Ours  bool   `json:"ours"` // the session that asked
}

// maxBackends bounds the list: max_connections ends at 262,143.
const maxBackends = 300_000

// ReadBackends reads sessions.json. Where sessions of others are hidden the
// whole is forbidden: of the hidden ones not even the kind is told.
func ReadBackends(fsys fs.FS, key string) known.Fact[[]Backend] {
	name := Path(key, "sessions")
	hidden := 0
	f := evidence.Read(fsys, name, func(b []byte) ([]Backend, error) {
		out := []Backend{}
		err := parseRows(b, func(r *Row) error {
			pid := r.Int("pid")
			if pid <= 0 || pid > 1<<31-1 {
				return fmt.Errorf("process id %d", pid)
			}
			if len(out) == maxBackends {
				return errors.New("more sessions than a server can have")
			}
			if !r.Has("backend_type") && r.Has("usename") && r.Has("datname") {
				hidden++
			}
			out = append(out, Backend{PID: int(pid), Database: r.Text("datname"), Role: r.Text("usename"),
				State: r.Text("state"),
				Type:  r.Text("backend_type"), Ours: r.Bool("ours")})
			return nil
		})
		return out, err
	})
	if f.Known() && hidden > 0 {
		return known.Barred[[]Backend](known.Gap{Fact: name,
			Reason: hiddenSessions(int64(hidden)), Reveal: monitorRight})
	}
	return f
}

func hiddenSessions(n int64) string {
	if n == 1 {
		return "1 session of other roles is hidden from this role"
	}
	return fmt.Sprintf("%d sessions of other roles are hidden from this role", n)
}
