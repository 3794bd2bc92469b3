package tablespaces

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/sqlname"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Part is what of the objects is moved.
type Part string

// The parts.
const (
	Both    Part = ""
	Tables  Part = "tables"
	Indexes Part = "indexes"
)

// Object is a table, a materialized view or an index, as it was found.
type Object struct {
	Schema, Name string
	OID          int64
	Kind         string // relkind of pg_class: r, m, i, p, I, t, S, …
	Space        string // the tablespace that it is in
	Table        string // of an index: its table, with its schema
	Size, Toast  unit.Bytes
	Temporary    bool
	System       bool
	Shared       bool // of the whole cluster
	Mine         bool // the role has the rights of its owner
	Children     []string
	// Of an index: that a rebuild beside the old one is possible; and what an earlier one has left.
	Concurrently bool
	Leftover     string
	Holders      []Holder
}

// Holder is a session that holds a lock on an object.
type Holder struct {
	PID     int
	Role    string
	Program string
	Mode    string
	Seconds int64 // since its transaction began
}

// Full is its name with its schema, as SQL takes it.
func (o *Object) Full() string { return sqlname.InList(o.Schema) + "." + sqlname.InList(o.Name) }

// index reports whether it is an index.
func (o *Object) index() bool { return o.Kind == "i" || o.Kind == "I" }

// MoveWanted is the move that a person asks for.
type MoveWanted struct {
	Objects  []string // as written; none with AllIn
	AllIn    string
	To       string
	Database string
	Part     Part
}

// MoveFound is what a move was found to meet.
type MoveFound struct {
	Label    string
	Database string
	Role     string
	Major    int
	Standby  bool
	Manager  string
	ToExists bool
	MayUse   bool // the role has CREATE on the tablespace
	Objects  []Object
	Missing  []string // names that no object has

	Free      *unit.Bytes // on the filesystem of the tablespace; nil: not known
	Point     string
	WALLevel  string
	Archiving bool
	Replicas  int
	// bytes a second that the slower of the devices was measured to read in order; 0: not measured
	Speed unit.Bytes
}

// Move is a move that may be made.
type Move struct {
	MoveWanted
	Label   string
	Objects []Object // in the order of the work
	Here    []Object // that are there already
	Size    unit.Bytes
	Largest unit.Bytes
	Free    *unit.Bytes
	Point   string
	Found   MoveFound
	Notes   []say.Message
}

const (
	// slowDisk and fastDisk bound the time that a copy takes where nothing was measured: what a disk with spindles or a
	// small volume in a cloud streams, and what a common SSD does.
	slowDisk = 100 * unit.MB
	fastDisk = 500 * unit.MB
	// spare is what is asked for beyond the size: the objects grow while they are moved.
	spare = 0.1
	// concurrentMajor is the first major version that rebuilds an index in another tablespace beside the old one.
	concurrentMajor = 14
)

// Moving judges a move before anything is touched. The error is why it is not to be made.
func Moving(w MoveWanted, f MoveFound) (*Move, error) {
	if err := f.may(&w); err != nil {
		return nil, err
	}
	m := &Move{MoveWanted: w, Label: f.Label, Free: f.Free, Point: f.Point, Found: f}
	m.Database = f.Database
	for _, o := range f.Objects {
		if err := o.refuse(&w, &f); err != nil {
			return nil, err
		}
		switch {
		case w.Part == Tables && o.index(), w.Part == Indexes && !o.index():
		case o.Space == w.To:
			m.Here = append(m.Here, o)
		default:
			m.Objects = append(m.Objects, o)
			m.Size += o.Size + o.Toast
			m.Largest = max(m.Largest, o.Size+o.Toast)
		}
	}
	if m.Free != nil && len(m.Objects) > 0 {
		if need := m.Need(); need > *m.Free {
			return nil, refused(say.M("{at} has {free} free, and {need} are needed", "at", f.Point, "free", *m.Free,
				"need",
				need), say.M("the objects have {size}, and they grow while they are moved", "size", m.Size),
				say.M("move fewer objects, or make room on that filesystem"))
		}
	}
	m.notes(&f)
	return m, nil
}

// Need is the room that the move takes on the new filesystem.
func (m *Move) Need() unit.Bytes { return m.Size.Scale(1 + spare) }

// Seconds are between what and what the move takes, without waiting for locks.
func (m *Move) Seconds(size unit.Bytes) (least, most int64) {
	slow, fast := unit.Bytes(slowDisk), unit.Bytes(fastDisk)
	if m.Found.Speed > 0 {
		slow, fast = m.Found.Speed/2, m.Found.Speed // what is written beside what is read may halve it
	}
	return int64(size / max(fast, 1)), int64(size/max(slow, 1)) + 1
}

// may refuses what no object can change.
func (f *MoveFound) may(w *MoveWanted) error {
	switch {
	case f.Standby:
		return refused(say.M("{label} is a standby", "label", f.Label), say.M("it replays what the primary does"),
			say.M("move the objects on the primary"))
	case !f.ToExists:
		return refused(say.M("there is no tablespace {name}", "name", say.Quoted(w.To)), say.Message{},
			say.M("list the tablespaces with 'pgfettle tablespace plan'"))
	case w.To == "pg_global":
		return refused(say.M("only shared catalogs are in pg_global"), say.Message{},
			say.M("choose another tablespace"))
	case !f.MayUse:
		return &say.Problem{Message: say.M("role {role} has no CREATE on tablespace {name}", "role", say.Quoted(f.Role),
			"name", say.Quoted(w.To)), Code: say.CodeNoAccess,
			Hint: say.M("as a superuser: {grant}", "grant", "GRANT CREATE ON TABLESPACE "+sqlname.Quote(w.To)+" TO "+
				sqlname.Quote(f.Role))}
	case len(f.Missing) > 0:
		return refused(say.M("no table, materialized view or index {names} in database {database}", "names",
			say.Names(f.Missing, 5), "database", say.Quoted(f.Database)), say.Message{},
			say.M("name it as SCHEMA.NAME, and its database with --database"))
	}
	return nil
}

// refuse says why one object is not moved.
func (o *Object) refuse(w *MoveWanted, f *MoveFound) error {
	name := o.Full()
	switch {
	case o.System || o.Shared:
		return refused(say.M("{name} is a system catalog", "name", name),
			say.M("the server does not move single catalogs"),
			say.M("choose tables of your own; ALTER DATABASE … SET TABLESPACE moves a whole database"))
	case o.Temporary:
		return refused(say.M("{name} is a temporary table", "name", name), say.M("it belongs to another session"),
			say.M("set temp_tablespaces for new ones: 'pgfettle tablespace create --temp'"))
	case o.Kind == "p" || o.Kind == "I":
		hint := say.M("it has no partitions")
		if len(o.Children) > 0 {
			hint = say.M("move its partitions: {names}", "names", say.Names(o.Children, 5))
		}
		return refused(say.M("{name} is partitioned", "name", name),
			say.M("it has no data itself; its tablespace is that of new partitions"), hint)
	case o.Kind == "t":
		return refused(say.M("{name} is a TOAST table", "name", name), say.M("it moves with its table"),
			say.M("name the table"))
	case o.Kind != "r" && o.Kind != "m" && o.Kind != "i":
		return refused(say.M("{name} is neither a table nor an index", "name", name), say.Message{},
			say.M("name tables, materialized views and indexes"))
	case !o.Mine:
		return &say.Problem{Message: say.M("role {role} does not own {name}", "role", say.Quoted(f.Role), "name", name),
			Hint: say.M("connect as its owner or as a superuser"), Code: say.CodeNoAccess}
	case o.Leftover != "":
		return refused(say.M("{name} has an invalid copy: {leftover}", "name", name, "leftover", o.Leftover),
			say.M("a REINDEX CONCURRENTLY was interrupted or is running"),
			say.M("drop the copy if no REINDEX is running: {drop}", "drop", "DROP INDEX CONCURRENTLY "+o.Leftover))
	case knob.Relation(f.Database, o.Schema, o.Name) == "":
		return refused(say.M("{name} has a name that cannot be recorded", "name", name), say.Message{},
			say.M("rename it first"))
	}
	return nil
}

// Gently reports whether an object is rebuilt beside the old one: an index, where the server can.
func (m *Move) Gently(o *Object) bool {
	return o.index() && o.Concurrently && m.Found.Major >= concurrentMajor
}

// notes are what to know of a move that prevents nothing.
func (m *Move) notes(f *MoveFound) {
	if len(m.Objects) == 0 {
		return
	}
	if m.WALWritten() > 0 {
		m.Notes = append(m.Notes, say.M("about {size} of WAL is written (wal_level = {level}); max_wal_size is a soft "+
			"limit, and archives and standbys get all of it", "size", m.WALWritten(), "level", f.WALLevel))
	}
	if f.Archiving {
		m.Notes = append(m.Notes, say.M("WAL is archived: make sure that the archive has room for it"))
	}
	if f.Replicas > 0 {
		m.Notes = append(m.Notes, say.N(f.Replicas, "{n} standby replays the move and holds the same locks meanwhile",
			"{n} standbys replay the move and hold the same locks meanwhile"))
	}
	var tables []string
	for _, o := range m.Objects {
		if !o.index() {
			tables = append(tables, o.Full())
		}
	}
	if m.Part == Tables && len(tables) > 0 {
		m.Notes = append(m.Notes, say.M("indexes stay where they are: ALTER TABLE … SET TABLESPACE does not move them"))
	}
	if slices.ContainsFunc(m.Objects, func(o Object) bool { return m.Gently(&o) }) {
		m.Notes = append(m.Notes, say.M("REINDEX CONCURRENTLY waits for every transaction that began before it"))
	}
	if f.Manager != "" {
		m.Notes = append(m.Notes, say.M("{value} runs {label}: objects that it creates again are in the default "+
			"tablespace", "value", f.Manager, "label", f.Label))
	}
}

// WALWritten is how much WAL the move writes, at the least.
func (m *Move) WALWritten() unit.Bytes {
	if m.Found.WALLevel == "minimal" {
		return 0
	}
	return m.Size
}

// Address is that of the place of an object.
func (m *Move) Address(o *Object) knob.Address { return knob.Relation(m.Database, o.Schema, o.Name) }

// MoveSQL is the statement that moves an object; gently rebuilds an index beside the old one.
func MoveSQL(kind, schema, name, to string, gently bool) string {
	q, at := sqlname.Qualified(schema, name), sqlname.Quote(to)
	switch {
	case kind == "i" && gently:
		return "REINDEX (CONCURRENTLY, TABLESPACE " + at + ") INDEX " + q
	case kind == "i":
		return "ALTER INDEX " + q + " SET TABLESPACE " + at
	case kind == "m":
		return "ALTER MATERIALIZED VIEW " + q + " SET TABLESPACE " + at
	}
	return "ALTER TABLE " + q + " SET TABLESPACE " + at
}

// Ordered sorts objects for the work: each table before its indexes, the small ones first.
func Ordered(list []Object) []Object {
	out := slices.Clone(list)
	total := map[string]unit.Bytes{}
	table := func(o *Object) string {
		if o.index() {
			return o.Table
		}
		return o.Full()
	}
	for i := range out {
		total[table(&out[i])] += out[i].Size + out[i].Toast
	}
	slices.SortStableFunc(out, func(a, b Object) int {
		x, y := table(&a), table(&b)
		switch {
		case x != y && total[x] != total[y]:
			if total[x] < total[y] {
				return -1
			}
			return 1
		case x != y:
			return strings.Compare(x, y)
		case a.index() != b.index():
			if b.index() {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Full(), b.Full())
	})
	return out
}
