package pg

import (
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Upgrade is what an upgrade to a later major version meets in the shared catalogs.
type Upgrade struct {
	Names         []OddName     `json:"names"`     // with a line feed or carriage return
	Encodings     []Group       `json:"encodings"` // of databases
	Providers     []Group       `json:"providers"` // of their locales: c (libc), i (ICU), b (builtin)
	Slots         []LogicalSlot `json:"slots"`
	Subscriptions int64         `json:"subscriptions"`
	Superuser     string        `json:"superuser"` // the role that initdb made
	Template      Locale        `json:"template,omitzero"`
}

// Locale is what template0 was made with, and with it the cluster; "" is unknown.
type Locale struct {
	Encoding string `json:"encoding"`
	Collate  string `json:"collate"`
	Ctype    string `json:"ctype"`
}

// OddName is a name that the server took and a later version refuses.
type OddName struct {
	Object string `json:"object"` // database, role, tablespace
	Name   string `json:"name"`
}

// Group counts the databases that have something in common.
type Group struct {
	Word      string `json:"word"`
	Databases int64  `json:"databases"`
	Example   string `json:"example"` // the first of them by name
}

// LogicalSlot is a logical replication slot that is not temporary.
type LogicalSlot struct {
	Name     string `json:"name"`
	Database string `json:"database"`
	Plugin   string `json:"plugin"`
}

// ReadUpgrade reads upgrade.json.
func ReadUpgrade(fsys fs.FS, key string) known.Fact[Upgrade] {
	rows := list(fsys, key, "upgrade", func(r *Row) func(*Upgrade) {
		group := Group{Word: r.Text("detail"), Databases: r.Int("n"), Example: r.Text("datname")}
		role, n := r.Text("rolname"), r.Int("n")
		switch r.Text("kind") {
		case "name":
			odd := OddName{"tablespace", r.Text("spcname")}
			if r.Has("datname") {
				odd = OddName{"database", r.Text("datname")}
			} else if r.Has("rolname") {
				odd = OddName{"role", role}
			}
			return func(u *Upgrade) { u.Names = append(u.Names, odd) }
		case "encoding":
			return func(u *Upgrade) { u.Encodings = append(u.Encodings, group) }
		case "provider":
			return func(u *Upgrade) { u.Providers = append(u.Providers, group) }
		case "slot":
			slot := LogicalSlot{Name: r.Text("slot_name"), Database: r.Text("datname"), Plugin: r.Text("detail")}
			return func(u *Upgrade) { u.Slots = append(u.Slots, slot) }
		case "subscriptions":
			return func(u *Upgrade) { u.Subscriptions = n }
		case "superuser":
			return func(u *Upgrade) { u.Superuser = role }
		case "template":
			word, value, _ := strings.Cut(r.Text("detail"), "=")
			return func(u *Upgrade) { u.Template.put(word, value) }
		}
		return func(*Upgrade) {}
	})
	return known.Map(rows, func(rows []func(*Upgrade)) Upgrade {
		u := Upgrade{Names: []OddName{}, Encodings: []Group{}, Providers: []Group{}, Slots: []LogicalSlot{}}
		for _, put := range rows {
			put(&u)
		}
		return u
	})
}

func (l *Locale) put(word, value string) {
	switch word {
	case "encoding":
		l.Encoding = value
	case "collate":
		l.Collate = value
	case "ctype":
		l.Ctype = value
	}
}

// The kinds of Obstacle.
const (
	RefusedType      = "type"         // of a column: Column; Detail is the built-in type within it
	GistInet         = "gist"         // an index with the default class of btree_gist for inet or cidr
	InheritedNotNull = "notnull"      // a column of a child that lacks the NOT NULL of its parent
	PostfixOperator  = "postfix"      // Detail is the type of its operand; before 14
	Conversion       = "conversion"   // of encodings; before 14
	Polymorphic      = "polymorphic"  // an aggregate or operator (Detail) on a function of anyarray; before 14
	TableSync        = "subscription" // a table whose synchronization has not ended
	FunctionSetting  = "function"     // Detail is a setting of it (work_mem=1GB), Column its arguments: (integer, text)
	InstalledIn      = "extension"    // Extension; Detail is its version
	LibraryOf        = "library"      // Library, which C functions name
)

// Obstacle is what pg_upgrade refuses in a database, or what the new version must have installed for it.
type Obstacle struct {
	In
	Kind      string `json:"kind"`
	Schema    string `json:"schema"`
	Name      string `json:"name"`
	Column    string `json:"column"`
	Extension string `json:"extension"`
	Library   string `json:"library"`
	Detail    string `json:"detail"`
}

// obstacle reads a row of deep_upgrade.json.
func obstacle(r *Row) Obstacle {
	return Obstacle{In: inDatabase(r), Kind: r.Text("kind"), Schema: r.Text("nspname"), Name: r.Text("relname"),
		Column: r.Text("owner_column"), Extension: r.Text("extname"), Library: r.Text("library"),
		Detail: r.Text("detail")}
}
