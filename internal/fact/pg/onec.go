package pg

import (
	"io/fs"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// OneC are the signs of the platform 1C:Enterprise that a server shows without a look into each database.
type OneC struct {
	Sessions    int64 `json:"sessions"`    // whose application_name is that of the platform: 1CV83 Server, rphost
	Tablespaces int64 `json:"tablespaces"` // v81c_data and v81c_index, which the platform looks for
	Slots       int64 `json:"slots"`       // whose plugin is dbcopies_decoding, for its copies of databases
	Types       int64 `json:"types"`       // mchar and mvarchar, in the database connected to
}

func readOneC(fsys fs.FS, key string) known.Fact[OneC] {
	return single(fsys, key, "onec", func(r *Row) OneC {
		return OneC{Sessions: r.Int("sessions"), Tablespaces: r.Int("tablespaces"), Slots: r.Int("slots"),
			Types: r.Int("types")}
	})
}

// Infobase is how much a database looks like an infobase of 1C:Enterprise.
type Infobase struct {
	In
	Fixed   int64 `json:"fixed"`   // tables that each infobase has: config, params, files, ibversion, …
	Objects int64 `json:"objects"` // tables of objects of the application: _reference12, _document34, …
	Types   int64 `json:"types"`   // mchar and mvarchar
}

// fixedTables of an infobase: one name alone, such as params, is that of any application's table.
const fixedTables = 4

// Is reports whether the database is an infobase, or made to be one. Its types are those of the platform's own module.
func (i Infobase) Is() bool { return i.Types > 0 || i.Fixed >= fixedTables && i.Objects > 0 }

func infobase(r *Row) Infobase {
	return Infobase{In: inDatabase(r), Fixed: r.Int("fixed"), Objects: r.Int("objects"), Types: r.Int("types")}
}

// oneCExtensions are made for the platform, and it creates them in its databases.
var oneCExtensions = []string{"mchar", "fulleq", "fasttrun"}

// Platform says by what a server is seen to work for 1C:Enterprise.
type Platform struct {
	Sessions   int64    // of the platform, by their application_name
	Extensions []string // of the database connected to, in the order of their names
	Infobases  []string // databases, in the order of their names; with --deep
	Types      bool     // in the database connected to
	Spaces     bool     // its tablespaces
	Slots      int64    // of dbcopies_decoding
}

// OneCPlatform gathers the signs of 1C:Enterprise. ok is false where there is none: that proves nothing without --deep.
// Settings are no sign, as plans and guides write them before the platform comes.
func (s *Server) OneCPlatform() (p Platform, ok bool) {
	one, _ := s.OneC.Get()
	p = Platform{Sessions: one.Sessions, Slots: one.Slots, Types: one.Types > 0, Spaces: one.Tablespaces > 0}
	list, _ := s.Extensions.Get()
	for _, e := range list {
		if slices.Contains(oneCExtensions, e.Name) {
			p.Extensions = append(p.Extensions, e.Name)
		}
	}
	bases := map[string]bool{}
	deep, _ := s.Deep.OneC.Get()
	for _, b := range deep {
		if b.Is() {
			bases[b.Database] = true
		}
	}
	for name := range bases {
		p.Infobases = append(p.Infobases, name)
	}
	slices.Sort(p.Infobases)
	slices.Sort(p.Extensions)
	return p, p.Sessions+p.Slots > 0 || len(p.Extensions)+len(p.Infobases) > 0 || p.Types || p.Spaces
}
