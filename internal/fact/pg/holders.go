package pg

import (
	"embed"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// The questions for when catalogs are locked have a folder of their own: they
// are asked only then, and read no catalog themselves but those that every
// session has found on its way in.
//
//go:embed sql/locked/*.sql
var lockedFiles embed.FS

// HoldersQuery is the name of the answer that tells who holds a catalog, and
// namesQuery that of the names in it.
const (
	HoldersQuery = "holders"
	namesQuery   = "holder_names"
)

// HolderQueries returns what is asked where queries waited for a lock in vain,
// that which needs least first.
func HolderQueries() ([]Query, error) {
	var out []Query
	for _, n := range []string{HoldersQuery, namesQuery} {
		b, err := lockedFiles.ReadFile("sql/locked/" + n + "_13.sql")
		if err != nil {
			return nil, err
		}
		q, err := parseQuery(n+"_13.sql", string(b))
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}

// Holder is a session, or a prepared transaction, that has locked a system
// catalog against everybody.
type Holder struct {
	PID int `json:"pid"` // as the server sees it; 0: a prepared transaction
	// pg_class; "catalog OID n" where it is not among those that every backend reads
	Catalog     string  `json:"catalog"`
	Role        string  `json:"role,omitempty"` // "" where the names could not be read
	Database    string  `json:"database,omitempty"`
	State       string  `json:"state,omitempty"` // "" where it is hidden from our role
	Kind        string  `json:"kind,omitempty"`  // backend_type
	Application string  `json:"application,omitempty"`
	Xact        float64 `json:"xact,omitempty"`        // seconds since its transaction began; 0: hidden
	InState     float64 `json:"in_state,omitempty"`    // seconds since it is in its state
	QueryStart  int64   `json:"query_start,omitempty"` // of its last query, seconds since the epoch
	Waiting     int64   `json:"waiting"`               // sessions that wait for a lock on the catalog
}

// catalogs are the names of the catalogs by OID, which is the same in every
// database and version: those that a session reads before its first query, and
// those that planning any query reads.
var catalogs = map[int64]string{
	1247: "pg_type", 1249: "pg_attribute", 1255: "pg_proc", 1259: "pg_class", 1260: "pg_authid",
	1261: "pg_auth_members", 1262: "pg_database",
	1213: "pg_tablespace", 2964: "pg_db_role_setting", 2600: "pg_aggregate", 2601: "pg_am", 2602: "pg_amop",
	2603: "pg_amproc", 2605: "pg_cast",
	2606: "pg_constraint", 2604: "pg_attrdef", 2608: "pg_depend", 2609: "pg_description", 2610: "pg_index",
	2611: "pg_inherits", 2612: "pg_language",
	2615: "pg_namespace", 2616: "pg_opclass", 2617: "pg_operator", 2618: "pg_rewrite", 2619: "pg_statistic",
	2620: "pg_trigger", 2224: "pg_sequence",
	2753: "pg_opfamily", 3079: "pg_extension", 3350: "pg_partitioned_table", 3381: "pg_statistic_ext", 3541: "pg_range",
	1214: "pg_shdepend",
	6000: "pg_replication_origin", 6100: "pg_subscription", 6243: "pg_parameter_acl", 826: "pg_default_acl",
	3592: "pg_shseclabel", 3456: "pg_collation",
}

// readHolders reads holders.json and, for the names, holder_names.json.
func readHolders(fsys fs.FS, key string) known.Fact[[]Holder] {
	type name struct {
		pid            int
		role, database string
	}
	names := map[int]name{}
	list1, _ := list(fsys, key, namesQuery, func(r *Row) name {
		return name{int(r.Int("pid")), r.Text("rolname"), r.Text("datname")}
	}).Get()
	for _, n := range list1 {
		names[n.pid] = n
	}
	return list(fsys, key, HoldersQuery, func(r *Row) Holder {
		h := Holder{PID: int(r.Int("pid")), State: r.Text("state"), Kind: r.Text("backend_type"),
			Application: r.Text("application_name"),
			Xact:        r.Float("xact_secs"), InState: r.Float("state_secs"), QueryStart: r.Int("query_start"),
			Waiting: r.Int("waiting")}
		h.Catalog = catalogs[r.Int("relation")]
		if h.Catalog == "" {
			h.Catalog = "catalog OID " + r.Text("relation")
		}
		if n, ok := names[h.PID]; ok {
			h.Role, h.Database = n.role, n.database
		}
		return h
	})
}
