package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Deep holds what grows with the number of tables; it is asked for with
// --deep, in each database that lets us in.
type Deep struct {
	// deep_tables.json: of each database the 100 largest by relpages
	Tables     known.Fact[[]Table]      `json:"tables"`
	Indexes    known.Fact[[]Index]      `json:"indexes"`    // deep_indexes.json: invalid ones that nobody builds now
	Unanalyzed known.Fact[[]Unanalyzed] `json:"unanalyzed"` // deep_unanalyzed.json: of 10,000 rows or more
	// deep_unused.json: from 10 MB on, never read since the statistics were reset
	Unused     known.Fact[[]Index]     `json:"unused"`
	Duplicates known.Fact[[]Duplicate] `json:"duplicates"` // deep_duplicates.json
	Sequences  known.Fact[[]Sequence]  `json:"sequences"`  // deep_sequences.json: half used up and more
	// deep_catalogs.json: pg_attribute, pg_class, pg_depend, pg_type, pg_index
	Catalogs known.Fact[[]Catalog] `json:"catalogs"`
	// deep_upgrade.json: what pg_upgrade refuses, and what the new version must have installed
	Upgrade known.Fact[[]Obstacle] `json:"upgrade"`
	// deep_onec.json: databases that have tables or types of 1C:Enterprise
	OneC known.Fact[[]Infobase] `json:"onec,omitzero"`
	// deep_tablespaces.json: of those whose size the role may know
	Tablespaces known.Fact[[]TablespaceSize] `json:"tablespaces,omitzero"`
	// deep_visits.json: where the above was asked, and where it was not
	Visits known.Fact[[]Visit] `json:"visits"`
}

// TablespaceSize is what a tablespace holds of this cluster.
type TablespaceSize struct {
	OID  int64      `json:"oid"`
	Size unit.Bytes `json:"size"`
}

// In is the database that something was found in; "" in evidence from before
// more than one was asked: it is that of the connection.
type In struct {
	Database string `json:"database,omitempty"`
}

// inDatabase reads the column that the collector puts before those of the query.
func inDatabase(r *Row) In { return In{r.Text(DatabaseColumn)} }

// DatabaseColumn is the first column of an answer that was gathered in several
// databases, and VisitsQuery the name of the answer that tells which ones.
const (
	DatabaseColumn = "database"
	VisitsQuery    = deepPrefix + "visits"
)

// Visit is a database that was asked, or why it was not.
type Visit struct {
	Database string `json:"database"`
	Query    string `json:"query"`  // what was not answered there; "" for all
	Reason   string `json:"reason"` // why; "" where all was answered
	Reveal   string `json:"reveal"`
}

// Table is a large table.
type Table struct {
	In
	Schema        string  `json:"schema"`
	Name          string  `json:"name"`
	Pages         int64   `json:"pages"` // relpages: as of the last VACUUM or ANALYZE
	Rows          float64 `json:"rows"`  // reltuples: as of the same; -1 (14+) when there was none
	Live          int64   `json:"live"`
	Dead          int64   `json:"dead"`
	Changed       int64   `json:"changed"` // rows updated and deleted since the statistics were reset
	SeqScans      int64   `json:"seq_scans"`
	SeqRows       int64   `json:"seq_rows"`    // read by sequential scans since the statistics were reset
	LastVacuum    int64   `json:"last_vacuum"` // the later of manual and automatic, seconds since the epoch; 0: never
	LastAnalyze   int64   `json:"last_analyze"`
	XIDAge        int64   `json:"xid_age"`
	AutovacuumOff bool    `json:"autovacuum_off"` // autovacuum_enabled = off of the table
	Threshold     float64 `json:"threshold"`      // autovacuum_vacuum_threshold of the table; -1: the server's
	Scale         float64 `json:"scale"`          // autovacuum_vacuum_scale_factor of the table; -1: the server's
	Vacuuming     bool    `json:"vacuuming"`      // a VACUUM is at it now
	Scores        *Scores `json:"scores,omitempty"`
}

// Scores are those that autovacuum of 19 and later gives a table: it begins with the table that has the highest.
type Scores struct {
	Score  float64 `json:"score"`
	Vacuum float64 `json:"vacuum"` // dead rows / threshold × autovacuum_vacuum_score_weight
}

// Index is an index and its table.
type Index struct {
	In
	Schema string `json:"schema"`
	Table  string `json:"table"`
	Name   string `json:"name"`
	Pages  int64  `json:"pages"`
}

// Unanalyzed is a table of which the planner knows nothing but its size.
type Unanalyzed struct {
	In
	Schema      string `json:"schema"`
	Name        string `json:"name"`
	Partitioned bool   `json:"partitioned"`
	Rows        int64  `json:"rows"`
}

// Duplicate is an index that another one of its table makes needless.
type Duplicate struct {
	Index
	Kept string `json:"kept"` // the other one
}

// Sequence is one that has come half of its way or more.
type Sequence struct {
	In
	Schema string `json:"schema"`
	Name   string `json:"name"`
	Table  string `json:"table"` // whose column takes its default from it; "" for none
	Column string `json:"column"`
	Last   int64  `json:"last"`
	Most   int64  `json:"most"` // Most is what the sequence, or the column, can hold
}

// Catalog is a system catalog of a database.
type Catalog struct {
	In
	Name     string     `json:"name"`
	Size     unit.Bytes `json:"size"` // of its rows, without its indexes
	Rows     float64    `json:"rows"` // reltuples; -1 (14+) when it was never vacuumed
	Live     int64      `json:"live"`
	Dead     int64      `json:"dead"`
	Inserted int64      `json:"inserted"` // since the statistics were reset
}

// ReadDeep reads the answers that are asked for with --deep.
func ReadDeep(fsys fs.FS, key string) Deep {
	return Deep{
		Tables: list(fsys, key, deepPrefix+"tables", func(r *Row) Table {
			return Table{In: inDatabase(r), Schema: r.Text("nspname"), Name: r.Text("relname"),
				Pages: r.Int("relpages"), Rows: rows(r),
				Live: r.Int("live"), Dead: r.Int("dead"), Changed: r.Int("changed"),
				SeqScans: r.Int("seq_scans"), SeqRows: r.Int("seq_rows"), LastVacuum: r.Int("last_vacuum"),
				LastAnalyze: r.Int("last_analyze"), XIDAge: r.Int("xid_age"),
				AutovacuumOff: r.Has("av_enabled") && !r.Bool("av_enabled"), Threshold: option(r, "av_threshold"),
				Scale:     option(r, "av_scale"),
				Vacuuming: r.Bool("vacuuming"), Scores: scores(r)}
		}),
		Indexes: list(fsys, key, deepPrefix+"indexes", index),
		Unused:  list(fsys, key, deepPrefix+"unused", index),
		Duplicates: list(fsys, key, deepPrefix+"duplicates", func(r *Row) Duplicate {
			return Duplicate{Index: index(r), Kept: r.Text("kept")}
		}),
		Sequences: list(fsys, key, deepPrefix+"sequences", func(r *Row) Sequence {
			return Sequence{In: inDatabase(r), Schema: r.Text("nspname"), Name: r.Text("relname"),
				Table: r.Text("owner_table"), Column: r.Text("owner_column"), Last: r.Int("last"), Most: r.Int("most")}
		}),
		Upgrade: list(fsys, key, deepPrefix+"upgrade", obstacle),
		OneC:    list(fsys, key, deepPrefix+"onec", infobase),
		Catalogs: list(fsys, key, deepPrefix+"catalogs", func(r *Row) Catalog {
			return Catalog{In: inDatabase(r), Name: r.Text("relname"), Size: r.Bytes("size"),
				Rows: r.Float("reltuples"), Live: r.Int("live"),
				Dead: r.Int("dead"), Inserted: r.Int("inserted")}
		}),
		Tablespaces: tablespaceSizes(fsys, key),
		Visits: list(fsys, key, VisitsQuery, func(r *Row) Visit {
			return Visit{Database: r.Text(DatabaseColumn), Query: r.Text("query"), Reason: r.Text("reason"),
				Reveal: r.Text("reveal")}
		}),
		Unanalyzed: list(fsys, key, deepPrefix+"unanalyzed", func(r *Row) Unanalyzed {
			return Unanalyzed{In: inDatabase(r), Schema: r.Text("nspname"), Name: r.Text("relname"),
				Partitioned: r.Bool("partitioned"), Rows: r.Int("rows")}
		}),
	}
}

// tablespaceSizes omits a tablespace that the role has no right to.
func tablespaceSizes(fsys fs.FS, key string) known.Fact[[]TablespaceSize] {
	rows := list(fsys, key, deepPrefix+"tablespaces", func(r *Row) *TablespaceSize {
		if !r.Has("size") {
			return nil
		}
		return &TablespaceSize{OID: r.Int("oid"), Size: r.Bytes("size")}
	})
	return known.Map(rows, func(list []*TablespaceSize) []TablespaceSize {
		out := []TablespaceSize{}
		for _, t := range list {
			if t != nil {
				out = append(out, *t)
			}
		}
		return out
	})
}

func index(r *Row) Index {
	return Index{In: inDatabase(r), Schema: r.Text("nspname"), Table: r.Text("relname"), Name: r.Text("indexrelname"),
		Pages: r.Int("relpages")}
}

// rows returns reltuples, for which the live rows stand in evidence from before
// it was asked for.
func rows(r *Row) float64 {
	if !r.Has("reltuples") {
		return r.Float("live")
	}
	return r.Float("reltuples")
}

// scores returns the scores of a table; nil before 19, and for what autovacuum gives none.
func scores(r *Row) *Scores {
	if !r.Has("score") {
		return nil
	}
	return &Scores{Score: r.Float("score"), Vacuum: r.Float("vacuum_score")}
}

// option returns an option of a table; -1 where it has none, as the server
// itself has it.
func option(r *Row, col string) float64 {
	if !r.Has(col) {
		return -1
	}
	return r.Float(col)
}
