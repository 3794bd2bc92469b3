package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// IO is a row of pg_stat_io (16+) with any activity.
type IO struct {
	Backend   string  `json:"backend"` // backend_type
	Object    string  `json:"object"`
	Context   string  `json:"context"`
	Reads     int64   `json:"reads"`
	Writes    int64   `json:"writes"`
	Extends   int64   `json:"extends"`
	Fsyncs    int64   `json:"fsyncs"`
	Evictions int64   `json:"evictions"`
	ReadTime  float64 `json:"read_time"`
	WriteTime float64 `json:"write_time"`
	FsyncTime float64 `json:"fsync_time"` // ms; 0 without track_io_timing
	Secs      float64 `json:"secs"`       // seconds that it has been counting; 0: not known
}

// ReadIO reads io.json.
func ReadIO(fsys fs.FS, key string) known.Fact[[]IO] {
	return list(fsys, key, "io", func(r *Row) IO {
		return IO{Backend: r.Text("backend_type"), Object: r.Text("object"), Context: r.Text("context"),
			Reads: r.Int("reads"), Writes: r.Int("writes"), Extends: r.Int("extends"), Fsyncs: r.Int("fsyncs"),
			Evictions: r.Int("evictions"),
			ReadTime:  r.Float("read_time"), WriteTime: r.Float("write_time"), FsyncTime: r.Float("fsync_time"),
			Secs: r.Float("secs")}
	})
}
