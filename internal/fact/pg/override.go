package pg

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// overriddenSources are the sources of a value that ALTER ROLE or ALTER
// DATABASE gave to the role and database that asked: not the instance's.
var overriddenSources = map[string]bool{"user": true, "database": true, "database user": true, "global": true}

// restore puts the instance's own value in the place of one that ALTER ROLE or
// ALTER DATABASE overrides for whoever asked: from the configuration files, or
// the compiled-in default where they do not name it. Where the files may not be
// seen the setting is left out, as nothing tells what the instance has.
func (s Settings) restore(fsys fs.FS, key string) {
	var names []string
	session := false
	for name, v := range s {
		if overriddenSources[v.Source] {
			names = append(names, name)
		}
		session = session || v.Source == "session"
	}
	if session { // set by the session itself, which hides whether it was overridden before
		for name := range ownOverrides(fsys, key) {
			if s[name].Source == "session" {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	files, ok := ReadFileSettings(fsys, key).Get()
	for _, name := range names {
		if !ok {
			delete(s, name)
			continue
		}
		v := s[name]
		v.Value, v.Source, v.File, v.Line = v.Boot, "default", "", 0
		for _, f := range files {
			if f.Applied && strings.EqualFold(f.Name, name) {
				v.Value, v.Source, v.File, v.Line = v.InBase(f.Value), "configuration file", f.File, f.Line
			}
		}
		s[name] = v
	}
}

// ownOverrides returns the names that ALTER ROLE or ALTER DATABASE set for the
// role and database that asked.
func ownOverrides(fsys fs.FS, key string) map[string]bool {
	out := map[string]bool{}
	access, ok := ReadAccess(fsys, key).Get()
	if !ok {
		return out
	}
	roles, _ := ReadRoleSettings(fsys, key).Get()
	for _, r := range roles {
		if (r.Role == "" || r.Role == access.Role) && (r.Database == "" || r.Database == access.Database) {
			out[r.Name] = true
		}
	}
	return out
}

// InBase spells a value of a configuration file as pg_settings does: numbers in
// the base unit, booleans as on and off. What it cannot read it leaves alone:
// the server took it, so it means something.
func (s Setting) InBase(v string) string {
	switch s.Type {
	case "integer", "real":
		read := unit.ParseGUC
		if s.Type == "integer" {
			read = unit.ParseInteger
		}
		if n, err := read(v, s.Unit); err == nil {
			return strconv.FormatFloat(n, 'f', -1, 64)
		}
	case "bool":
		switch low := strings.ToLower(v); {
		case low == "on" || low == "1" || low != "" && (strings.HasPrefix("true", low) ||
			strings.HasPrefix("yes", low)):
			return "on"
		case low == "0" || len(low) > 1 && strings.HasPrefix("off", low) ||
			low != "" && (strings.HasPrefix("false", low) || strings.HasPrefix("no", low)):
			return "off"
		}
	}
	return v
}
