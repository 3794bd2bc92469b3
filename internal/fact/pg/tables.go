package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Deep holds what grows with the number of tables; it is asked for with --deep.
type Deep struct {
	Tables known.Fact[[]Table] `json:"tables"` // deep_tables.json: the 100 largest by relpages
}

// Table is a large table of the database connected to.
type Table struct {
	Schema, Name string
	Pages        int64 // relpages: as of the last VACUUM or ANALYZE
	Live, Dead   int64
	Changed      int64 // rows updated and deleted since the statistics were reset
	SeqScans     int64
	LastVacuum   int64 // the later of manual and automatic, seconds since the epoch; 0: never
	LastAnalyze  int64
	XIDAge       int64
}

// ReadDeep reads the answers that are asked for with --deep.
func ReadDeep(fsys fs.FS, key string) Deep {
	return Deep{Tables: list(fsys, key, deepPrefix+"tables", func(r *Row) Table {
		return Table{Schema: r.Text("nspname"), Name: r.Text("relname"), Pages: r.Int("relpages"), Live: r.Int("live"), Dead: r.Int("dead"),
			Changed:  r.Int("changed"),
			SeqScans: r.Int("seq_scans"), LastVacuum: r.Int("last_vacuum"), LastAnalyze: r.Int("last_analyze"), XIDAge: r.Int("xid_age")}
	})}
}
