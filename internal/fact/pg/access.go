package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// monitorRight reveals what only members of pg_read_all_stats and
// pg_read_all_settings see; it is said where a query succeeds but shows less.
const monitorRight = "GRANT pg_monitor TO <role>"

// Access says as whom the facts were asked for.
type Access struct {
	Role      string `json:"role"`
	Superuser bool   `json:"superuser"`
	Monitor   bool   `json:"monitor"`    // has the rights of pg_monitor
	Database  string `json:"database"`   // connected to
	StartedAt int64  `json:"started_at"` // pg_postmaster_start_time, seconds since the epoch
	Now       int64  `json:"now"`        // server's clock, seconds since the epoch
	ReloadAt  int64  `json:"reload_at"`  // pg_conf_load_time
	PID       int    `json:"pid"`        // of our own backend
	BackendAt int64  `json:"backend_at"` // start of our own backend, seconds since the epoch
	Compiled  string `json:"compiled"`   // version(): compiler and platform
}

// ReadAccess reads access.json.
func ReadAccess(fsys fs.FS, key string) known.Fact[Access] {
	return single(fsys, key, "access", func(r *Row) Access {
		return Access{Role: r.Text("role"), Superuser: r.Bool("superuser"), Monitor: r.Bool("monitor"),
			Database:  r.Text("database"),
			StartedAt: r.Int("started_at"), Now: r.Int("now"), ReloadAt: r.Int("reload_at"), PID: int(r.Int("pid")),
			BackendAt: r.Int("backend_start"), Compiled: r.Text("compiled")}
	})
}
