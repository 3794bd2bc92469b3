package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Checkpoints is pg_stat_bgwriter (13–16) or pg_stat_checkpointer and
// pg_stat_bgwriter (17+).
type Checkpoints struct {
	Timed          int64             `json:"timed"`
	Requested      int64             `json:"requested"`
	Done           known.Fact[int64] `json:"done"`       // 18+: without skipped ones
	WriteTime      float64           `json:"write_time"` // ms
	SyncTime       float64           `json:"sync_time"`  // ms
	BuffersWritten int64             `json:"buffers_written"`
	BuffersClean   int64             `json:"buffers_clean"` // by the background writer
	// rounds that the background writer stopped for bgwriter_lru_maxpages
	MaxWritten     int64             `json:"max_written"`
	BuffersBackend known.Fact[int64] `json:"buffers_backend"` // 13–16: written by backends themselves
	BackendFsync   known.Fact[int64] `json:"backend_fsync"`   // 13–16
	BuffersAlloc   int64             `json:"buffers_alloc"`
	StatsReset     int64             `json:"stats_reset"` // seconds since the epoch
	Secs           float64           `json:"secs"`        // seconds from stats_reset to the server's now
}

// ReadCheckpoints reads checkpoints.json.
func ReadCheckpoints(fsys fs.FS, key string) known.Fact[Checkpoints] {
	return single(fsys, key, "checkpoints", func(r *Row) Checkpoints {
		return Checkpoints{
			Timed: r.Int("timed"), Requested: r.Int("requested"), WriteTime: r.Float("write_time"),
			SyncTime:       r.Float("sync_time"),
			BuffersWritten: r.Int("buffers_written"), BuffersClean: r.Int("buffers_clean"),
			MaxWritten:   r.Int("max_written"),
			BuffersAlloc: r.Int("buffers_alloc"), StatsReset: r.Int("stats_reset"), Secs: r.Float("secs"),
			Done:           counted(r, key, "checkpoints", "done"),
			BuffersBackend: counted(r, key, "checkpoints", "buffers_backend"),
			BackendFsync:   counted(r, key, "checkpoints", "backend_fsync"),
		}
	})
}

// counted returns a count that not every version keeps.
func counted(r *Row, key, query, col string) known.Fact[int64] {
	if !r.Has(col) {
		return known.None[int64](known.Gap{Fact: Path(key, query) + ": " + col,
			Reason: "this version does not count it"})
	}
	return known.Is(r.Int(col))
}
