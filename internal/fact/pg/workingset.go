package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// BufferCache is pg_buffercache_summary() (16+, the extension in the database
// connected to): how much of shared_buffers holds anything at all.
type BufferCache struct {
	Used   int64   `json:"used"`
	Unused int64   `json:"unused"`
	Dirty  int64   `json:"dirty"`
	Usage  float64 `json:"usage"` // mean usage count, 0 to 5
	Secs   float64 `json:"secs"`  // since the server started, when all were unused
}

// ReadBufferCache reads buffercache.json; no row: the extension is not there.
func ReadBufferCache(fsys fs.FS, key string) known.Fact[BufferCache] {
	return optional(fsys, key, "buffercache", "the extension pg_buffercache 1.4 or later is not in this database",
		func(r *Row) BufferCache {
			return BufferCache{Used: r.Int("used"), Unused: r.Int("unused"), Dirty: r.Int("dirty"),
				Usage: r.Float("usage"),
				Secs:  r.Float("secs")}
		})
}

// Spills is what pg_stat_statements counted of temporary files, which are
// blocks of 8 kB there.
type Spills struct {
	Statements int64      `json:"statements"`
	Spilling   int64      `json:"spilling"` // statements that wrote any
	Calls      int64      `json:"calls"`    // of those
	Written    unit.Bytes `json:"written"`
	Most       unit.Bytes `json:"most"` // of one call: nine of ten spilling statements write no more
}

// ReadSpills reads spills.json; no row: the extension is not there.
func ReadSpills(fsys fs.FS, key string) known.Fact[Spills] {
	const block = 8 * unit.KB
	return optional(fsys, key, "spills", "the extension pg_stat_statements is not in this database",
		func(r *Row) Spills {
			return Spills{Statements: r.Int("statements"), Spilling: r.Int("spilling"), Calls: r.Int("calls"),
				Written: unit.Bytes(min(r.Int("written"), 1<<50)) * block,
				Most:    unit.Bytes(min(r.Int("most"), 1<<50)) * block}
		})
}

// optional reads an answer of at most one row; none is a fact that is absent.
func optional[T any](fsys fs.FS, key, query, without string, one func(*Row) T) known.Fact[T] {
	rows := list(fsys, key, query, one)
	v, ok := rows.Get()
	switch {
	case !ok:
		return known.Without[T](rows.State(), rows.Gap())
	case len(v) == 0:
		return known.None[T](known.Gap{Fact: Path(key, query), Reason: without})
	}
	return known.Is(v[0])
}

// CountedFor returns for how many seconds the statistics of a database were
// counted: since they were reset or, where they never were, since those of the
// whole cluster began. ok is false where the server did not say when that was.
func (s *Server) CountedFor(d Database) (secs float64, ok bool) {
	cp, ok := s.Checkpoints.Get()
	if !ok || cp.Secs <= 0 {
		return 0, false
	}
	if d.StatsReset <= 0 {
		return cp.Secs, true
	}
	// The server's own clock: what it said of the reset, and how long ago that was.
	secs = float64(cp.StatsReset) + cp.Secs - float64(d.StatsReset)
	return secs, cp.StatsReset > 0 && secs > 0
}
