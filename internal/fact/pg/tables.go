package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Deep holds what grows with the number of tables; it is asked for with
// --deep, and is of the one database that the collector is connected to.
type Deep struct {
	Tables     known.Fact[[]Table]      `json:"tables"`     // deep_tables.json: the 100 largest by relpages
	Indexes    known.Fact[[]Index]      `json:"indexes"`    // deep_indexes.json: invalid ones that nobody builds now
	Unanalyzed known.Fact[[]Unanalyzed] `json:"unanalyzed"` // deep_unanalyzed.json: of 10,000 rows or more
}

// Table is a large table of the database connected to.
type Table struct {
	Schema, Name  string
	Pages         int64   // relpages: as of the last VACUUM or ANALYZE
	Rows          float64 // reltuples: as of the same; -1 (14+) when there was none
	Live, Dead    int64
	Changed       int64 // rows updated and deleted since the statistics were reset
	SeqScans      int64
	LastVacuum    int64 // the later of manual and automatic, seconds since the epoch; 0: never
	LastAnalyze   int64
	XIDAge        int64
	AutovacuumOff bool    // autovacuum_enabled = off of the table
	Threshold     float64 // autovacuum_vacuum_threshold of the table; -1: the server's
	Scale         float64 // autovacuum_vacuum_scale_factor of the table; -1: the server's
	Vacuuming     bool    // a VACUUM is at it now
}

// Index is an index and its table.
type Index struct {
	Schema, Table, Name string
	Pages               int64
}

// Unanalyzed is a table of which the planner knows nothing but its size.
type Unanalyzed struct {
	Schema, Name string
	Partitioned  bool
	Rows         int64
}

// ReadDeep reads the answers that are asked for with --deep.
func ReadDeep(fsys fs.FS, key string) Deep {
	return Deep{
		Tables: list(fsys, key, deepPrefix+"tables", func(r *Row) Table {
			return Table{Schema: r.Text("nspname"), Name: r.Text("relname"), Pages: r.Int("relpages"), Rows: rows(r),
				Live: r.Int("live"), Dead: r.Int("dead"), Changed: r.Int("changed"),
				SeqScans: r.Int("seq_scans"), LastVacuum: r.Int("last_vacuum"), LastAnalyze: r.Int("last_analyze"), XIDAge: r.Int("xid_age"),
				AutovacuumOff: r.Has("av_enabled") && !r.Bool("av_enabled"), Threshold: option(r, "av_threshold"), Scale: option(r, "av_scale"),
				Vacuuming: r.Bool("vacuuming")}
		}),
		Indexes: list(fsys, key, deepPrefix+"indexes", func(r *Row) Index {
			return Index{Schema: r.Text("nspname"), Table: r.Text("relname"), Name: r.Text("indexrelname"), Pages: r.Int("relpages")}
		}),
		Unanalyzed: list(fsys, key, deepPrefix+"unanalyzed", func(r *Row) Unanalyzed {
			return Unanalyzed{Schema: r.Text("nspname"), Name: r.Text("relname"), Partitioned: r.Bool("partitioned"), Rows: r.Int("rows")}
		}),
	}
}

// rows returns reltuples, for which the live rows stand in evidence from before
// it was asked for.
func rows(r *Row) float64 {
	if !r.Has("reltuples") {
		return r.Float("live")
	}
	return r.Float("reltuples")
}

// option returns an option of a table; -1 where it has none, as the server
// itself has it.
func option(r *Row, col string) float64 {
	if !r.Has(col) {
		return -1
	}
	return r.Float(col)
}
