package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Database is a row of pg_database with its statistics.
type Database struct {
	Name string `json:"name"`
	// pg_database_size; only with --deep, and missing without the right to connect
	Size          known.Fact[unit.Bytes] `json:"size"`
	Closed        bool                   `json:"closed"` // our role has no right to connect to it; only with --deep
	Template      bool                   `json:"template"`
	AllowConn     bool                   `json:"allow_conn"`
	ConnLimit     int64                  `json:"conn_limit"`
	XIDAge        int64                  `json:"xid_age"`  // age(datfrozenxid)
	MXIDAge       int64                  `json:"mxid_age"` // mxid_age(datminmxid)
	Backends      int64                  `json:"backends"`
	Commits       int64                  `json:"commits"`
	Rollbacks     int64                  `json:"rollbacks"`
	BlocksRead    int64                  `json:"blocks_read"`
	BlocksHit     int64                  `json:"blocks_hit"`
	TempFiles     int64                  `json:"temp_files"`
	TempBytes     unit.Bytes             `json:"temp_bytes"`
	Updated       int64                  `json:"updated"`     // rows, HOT updates included
	Deleted       int64                  `json:"deleted"`     // rows
	ActiveTime    known.Fact[float64]    `json:"active_time"` // ms that sessions spent executing; 14+
	Deadlocks     int64                  `json:"deadlocks"`
	Conflicts     int64                  `json:"conflicts"`
	ChecksumFails int64                  `json:"checksum_fails"`
	// seconds since the epoch; 0: never, statistics since the start of the cluster
	StatsReset        int64             `json:"stats_reset"`
	Sessions          known.Fact[int64] `json:"sessions"` // 14+
	SessionsFatal     int64             `json:"sessions_fatal"`
	SessionsKilled    int64             `json:"sessions_killed"`
	SessionsAbandoned int64             `json:"sessions_abandoned"`
	// 15+: recorded collation version differs from the library's
	CollationMismatch bool `json:"collation_mismatch"`
}

// Invalid says whether DROP DATABASE began to remove the database and did not
// end: DATCONNLIMIT_INVALID_DB, in 16 and in minor releases from August 2023.
func (d Database) Invalid() bool { return d.ConnLimit == -2 }

// ReadDatabases reads databases.json, and the sizes from deep_databases.json
// where they were asked for.
func ReadDatabases(fsys fs.FS, key string) known.Fact[[]Database] {
	sizes, noSizes := readSizes(fsys, key)
	return list(fsys, key, "databases", func(r *Row) Database {
		d := Database{
			Name: r.Text("datname"), Template: r.Bool("datistemplate"), AllowConn: r.Bool("datallowconn"),
			ConnLimit: r.Int("datconnlimit"),
			XIDAge:    r.Int("xid_age"), MXIDAge: r.Int("mxid_age"), Backends: r.Int("numbackends"),
			Commits: r.Int("xact_commit"), Rollbacks: r.Int("xact_rollback"), BlocksRead: r.Int("blks_read"),
			BlocksHit: r.Int("blks_hit"),
			TempFiles: r.Int("temp_files"), TempBytes: r.Bytes("temp_bytes"),
			Updated: r.Int("tup_updated"), Deleted: r.Int("tup_deleted"), Deadlocks: r.Int("deadlocks"),
			Conflicts:     r.Int("conflicts"),
			ChecksumFails: r.Int("checksum_failures"), StatsReset: r.Int("stats_reset"),
			SessionsFatal: r.Int("sessions_fatal"), SessionsKilled: r.Int("sessions_killed"),
			SessionsAbandoned: r.Int("sessions_abandoned"),
			CollationMismatch: r.Bool("collation_mismatch"),
		}
		d.Sessions = known.None[int64](known.Gap{Fact: Path(key, "databases") + ": sessions",
			Reason: "this version does not count sessions"})
		if r.Has("sessions") {
			d.Sessions = known.Is(r.Int("sessions"))
		}
		d.ActiveTime = known.None[float64](known.Gap{Fact: Path(key, "databases") + ": active_time",
			Reason: "this version does not time sessions"})
		if r.Has("active_time") {
			d.ActiveTime = known.Is(r.Float("active_time"))
		}
		d.Size = noSizes
		if one, ok := sizes[d.Name]; ok {
			d.Size, d.Closed = one.size, one.closed
		}
		return d
	})
}

// ReadSharedFails reads shared.json: how many pages of the shared catalogs were
// read with a wrong checksum. They belong to no database, and pg_stat_database
// counts them in a row without a name.
func ReadSharedFails(fsys fs.FS, key string) known.Fact[int64] {
	f := single(fsys, key, "shared", func(r *Row) known.Fact[int64] {
		if !r.Has("checksum_failures") {
			return known.None[int64](known.Gap{Fact: Path(key, "shared"), Reason: "data checksums are off"})
		}
		return known.Is(r.Int("checksum_failures"))
	})
	if v, ok := f.Get(); ok {
		return v
	}
	return known.Without[int64](f.State(), f.Gap())
}

// sized is a row of deep_databases.json.
type sized struct {
	size   known.Fact[unit.Bytes]
	closed bool
}

// readSizes returns the sizes by database, and the fact of a database that is
// not among them.
func readSizes(fsys fs.FS, key string) (map[string]sized, known.Fact[unit.Bytes]) {
	const query = deepPrefix + "databases"
	out := map[string]sized{}
	rows := list(fsys, key, query, func(r *Row) struct{} {
		size := known.Barred[unit.Bytes](known.Gap{Fact: Path(key, query),
			Reason: "no right to connect to this database", Reveal: monitorRight})
		if r.Has("size") {
			size = known.Is(r.Bytes("size"))
		}
		out[r.Text("datname")] = sized{size, r.Has("may_connect") && !r.Bool("may_connect")}
		return struct{}{}
	})
	if !rows.Known() {
		return nil, known.Without[unit.Bytes](rows.State(), rows.Gap())
	}
	return out, known.Missed[unit.Bytes](known.Gap{Fact: Path(key, query),
		Reason: "this database is not in the answer"})
}
