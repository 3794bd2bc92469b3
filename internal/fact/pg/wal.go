package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// WAL is pg_stat_wal (14+) and the position in the WAL.
type WAL struct {
	Records     int64      `json:"records"`
	FPI         int64      `json:"fpi"`
	Bytes       unit.Bytes `json:"bytes"`
	BuffersFull int64      `json:"buffers_full"`
	StatsReset  int64      `json:"stats_reset"`
	Secs        float64    `json:"secs"`       // seconds from stats_reset to the server's now
	InsertLSN   unit.Bytes `json:"insert_lsn"` // bytes of WAL since the cluster was made; 0 in recovery
}

// ReadWAL reads wal.json.
func ReadWAL(fsys fs.FS, key string) known.Fact[WAL] {
	return single(fsys, key, "wal", func(r *Row) WAL {
		return WAL{Records: r.Int("wal_records"), FPI: r.Int("wal_fpi"), Bytes: r.Bytes("wal_bytes"),
			BuffersFull: r.Int("wal_buffers_full"),
			StatsReset:  r.Int("stats_reset"), Secs: r.Float("secs"), InsertLSN: r.Bytes("insert_lsn")}
	})
}

// WALDir is the folder pg_wal: segments that are in use, kept or recycled.
type WALDir struct {
	Files int64      `json:"files"`
	Size  unit.Bytes `json:"size"`
	// Ready is how many segments wait to be archived.
	Ready known.Fact[int64] `json:"ready"`
}

// ReadWALDir reads waldir.json.
func ReadWALDir(fsys fs.FS, key string) known.Fact[WALDir] {
	return single(fsys, key, "waldir", func(r *Row) WALDir {
		return WALDir{Files: r.Int("files"), Size: r.Bytes("size"), Ready: counted(r, key, "waldir", "ready")}
	})
}

// Archiver is pg_stat_archiver.
type Archiver struct {
	Archived   int64 `json:"archived"`
	Failed     int64 `json:"failed"`
	LastOK     int64 `json:"last_ok"`     // seconds since the epoch; 0: never
	LastFailed int64 `json:"last_failed"` // seconds since the epoch; 0: never
}

// ReadArchiver reads archiver.json.
func ReadArchiver(fsys fs.FS, key string) known.Fact[Archiver] {
	return single(fsys, key, "archiver", func(r *Row) Archiver {
		return Archiver{Archived: r.Int("archived_count"), Failed: r.Int("failed_count"),
			LastOK: r.Int("last_archived"), LastFailed: r.Int("last_failed")}
	})
}
