package upgrade

import (
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// ofClients are settings that the session that asks gives itself when it connects: its answer has no value of the
// instance for them.
var ofClients = []string{"application_name", "client_encoding"}

// instanceSettings are the settings of an instance without what the session that asked for them gave itself: of these,
// what the configuration has. complete is false if the server did not show all that its version has, and the files
// could not be seen.
func instanceSettings(in *snapshot.Instance, set pg.Settings, major int) (out pg.Settings, complete bool) {
	out = maps.Clone(set)
	files, complete := in.Server.FileSettings.Get()
	if !complete {
		complete = !slices.ContainsFunc(params.All(major), func(p params.Param) bool {
			_, shown := set[p.Name]
			return !shown && p.Context != "internal" && !slices.Contains(ofClients, p.Name)
		})
	}
	for name, s := range set {
		if s.Source == "session" { // as far as it says, its value is what the session found
			if s.Source = "default"; s.Value != s.Boot {
				s.Source = "configuration file"
			}
			out[name] = s
		}
	}
	for _, f := range files {
		p, ok := params.Find(major, f.Name)
		if strings.Contains(f.Name, ".") { // of a library that is not loaded: pg_settings does not show it
			p, ok = params.Param{Name: f.Name, Type: "string", Context: "user"}, true
		}
		if !ok || !f.Applied {
			continue
		}
		s, shown := out[p.Name]
		switch {
		case !shown:
			s = pg.Setting{Name: p.Name, Unit: p.Unit, Type: p.Type, Context: p.Context, Min: p.Min, Max: p.Max,
				Enum: p.Enum, Boot: p.Boot}
		case set[p.Name].Source == "session" && strings.EqualFold(f.Name, p.Name):
		default:
			continue
		}
		s.Value, s.Source, s.File, s.Line = s.InBase(f.Value), "configuration file", f.File, f.Line
		out[p.Name] = s
	}
	return out, complete
}
