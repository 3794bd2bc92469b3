package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// placeOf is where a server read a setting.
func placeOf(s pg.Setting) string {
	if s.File == "" || s.Line == 0 {
		return s.File
	}
	return s.File + ":" + strconv.FormatInt(s.Line, 10)
}

// settings judges what is set by hand, and which defaults change for what is not.
func (j *judge) settings(set pg.Settings) {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		s := set[name]
		if !SetByHand(s) {
			continue
		}
		if removed, text := stops(j.from, j.to, s); !text.IsZero() {
			do := say.M("Remove or correct it before the new server starts with this configuration.")
			if at := placeOf(s); at != "" {
				do = say.M("Remove or correct it before the new server starts with this configuration ({place}).",
					"place", at)
			}
			j.stop("setting_"+why(removed), text, do)
			continue
		}
		if text := ChangesNext(j.from, j.to, s, set); !text.IsZero() {
			j.change("setting_meaning", text, say.Message{})
			continue
		}
		p, ok := params.Lookup(j.to, name)
		if ok && p.Context != "internal" && s.Value == p.Fresh() && !ofInitdb[name] && !written[name] {
			j.out.Removable = append(j.out.Removable, Line{name, s.Show(), placeOf(s)})
		}
	}
	if j.crosses(16) && BothArchives(set) {
		j.stop("archive_twice", ArchiveNothing(), say.M("Keep one of them in the new configuration."))
	}
	for _, old := range params.All(j.from) {
		p, ok := params.Lookup(j.to, old.Name)
		s, have := set[old.Name]
		if !ok || old.Context == "internal" || have && SetByHand(s) || sameDefault(old, p) || ofInitdb[old.Name] {
			continue
		}
		j.out.Defaults = append(j.out.Defaults, Default{old.Name, spelled(old), spelled(p)})
	}
}

// stops says why a version does not start with a setting, in the words of the first version that does not.
func stops(from, to int, s pg.Setting) (removed bool, text say.Message) {
	if _, ok := params.Find(from, s.Name); !ok {
		return false, say.Message{} // of a module or of another product: nothing is known about it
	}
	if stopsAt(to, s).IsZero() {
		return false, say.Message{}
	}
	_, kept := params.Find(to, s.Name)
	text, _ = StopsNext(from, s)
	return !kept, text
}

// ofInitdb are lines that initdb writes for its host and locale: a new cluster has its own.
var ofInitdb = map[string]bool{"lc_messages": true, "lc_monetary": true, "lc_numeric": true, "lc_time": true,
	"DateStyle": true, "TimeZone": true, "log_timezone": true, "default_text_search_config": true,
	"dynamic_shared_memory_type": true, "data_directory": true, "hba_file": true, "ident_file": true,
	"external_pid_file": true, "unix_socket_directories": true, "cluster_name": true}

// written are lines that initdb also writes where the value is the default: a new file has them again.
var written = map[string]bool{"max_connections": true, "shared_buffers": true, "max_wal_size": true,
	"min_wal_size": true, "autovacuum_worker_slots": true}

// sameDefault reports whether two versions have the same default. log_connections became a list in 18: off is an empty
// one.
func sameDefault(a, b params.Param) bool {
	return a.Fresh() == b.Fresh() || a.Name == "log_connections" && a.Fresh() == "off" && b.Fresh() == ""
}

// spelled is the default as SHOW prints it.
func spelled(p params.Param) string {
	v := unit.ShowGUC(p.Fresh(), p.Unit)
	if v == "" {
		return "''"
	}
	return v
}

// roleSettings judges what ALTER ROLE and ALTER DATABASE set: pg_upgrade restores them in the new cluster, and ends
// where that refuses one. Its --check does not look at them.
func (j *judge) roleSettings() {
	list, ok := need(j, j.in.Server.RoleSettings)
	if !ok {
		return
	}
	for _, o := range list {
		if hidden(o.Value) {
			continue
		}
		removed, text := j.stored(o.Name, o.Value)
		if text.IsZero() {
			continue
		}
		who, command := say.M("all roles"), "ALTER ROLE ALL RESET "+o.Name+";"
		switch {
		case o.Role != "" && o.Database != "":
			who = say.M("role {role} in database {database}", "role", o.Role, "database", o.Database)
			command = fmt.Sprintf("ALTER ROLE %s IN DATABASE %s RESET %s;", conf.SQLName(o.Role),
				conf.SQLName(o.Database), o.Name)
		case o.Role != "":
			who = say.M("role {role}", "role", o.Role)
			command = fmt.Sprintf("ALTER ROLE %s RESET %s;", conf.SQLName(o.Role), o.Name)
		case o.Database != "":
			who = say.M("database {database}", "database", o.Database)
			command = fmt.Sprintf("ALTER DATABASE %s RESET %s;", conf.SQLName(o.Database), o.Name)
		}
		j.stop("role_setting_"+why(removed),
			say.M("Stored setting ({who}): {text}", "who", who, "text", text),
			say.M("Reset it before the upgrade: pg_upgrade fails when it restores it, and pg_upgrade --check does not "+
				"report it."), check.SQL(command))
	}
}

// stored is stops for a setting that a catalog holds.
func (j *judge) stored(name, value string) (removed bool, text say.Message) {
	p, ok := params.Find(j.from, name)
	if !ok {
		return false, say.Message{}
	}
	s := pg.Setting{Name: p.Name, Unit: p.Unit, Type: p.Type}
	s.Value = s.InBase(value)
	return stops(j.from, j.to, s)
}

// why ends an id of a setting: it is gone, or its value is.
func why(removed bool) string {
	if removed {
		return "removed"
	}
	return "value"
}

// goneMethods are methods of pg_hba.conf and the first version without them.
var goneMethods = map[string]int{"radius": 19}

// oldCertWords are words of the option clientcert that 14 no longer has.
var oldCertWords = []string{"0", "1", "no-verify"}

// hba judges the lines of pg_hba.conf.
func (j *judge) hba() {
	rules, ok := need(j, j.in.Server.HBA)
	if !ok {
		return
	}
	for _, r := range rules {
		place := say.M("pg_hba.conf line {line}", "line", strconv.FormatInt(r.Line, 10))
		if r.File != "" {
			place = say.M("{file} line {line}", "file", r.File, "line", strconv.FormatInt(r.Line, 10))
		}
		switch gone := goneMethods[r.Method]; {
		case r.Broken && r.Type == "": // with one that is a rule and never matches, a server starts
			j.stop("hba_line", say.M("{place}: {error}", "place", place, "error", r.Error),
				say.M("Correct the line. No server starts with it."))
		case gone != 0 && j.crosses(gone):
			j.stop("hba_method", say.M("{place}: method {method} was removed in PostgreSQL {major}.", "place", place,
				"method", r.Method, "major", MajorOf(gone)),
				say.M("Choose another method in the new pg_hba.conf. The new server does not start with this line."))
		case j.crosses(14) && slices.Contains(oldCertWords, r.ClientCert):
			j.stop("hba_option", say.M("{place}: clientcert = {word} is not accepted by PostgreSQL 14 and later.",
				"place", place, "word", r.ClientCert),
				say.M("In the new pg_hba.conf, write verify-ca in place of 1, and omit the option in place of 0 and "+
					"no-verify. The new server does not start with this line."))
		}
	}
}
