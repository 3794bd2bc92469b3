package upgrade

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// kind is something in databases that pg_upgrade refuses.
type kind struct {
	kind string
	when func(*judge, pg.Obstacle) bool
	name func(pg.Obstacle) string
	seen say.Template // {list}, {database}
	do   say.Template
}

func relation(o pg.Obstacle) string { return o.Schema + "." + o.Name }

func column(o pg.Obstacle) string { return o.Schema + "." + o.Name + "." + o.Column }

func crossing(major int) func(*judge, pg.Obstacle) bool {
	return func(j *judge, _ pg.Obstacle) bool { return j.crosses(major) }
}

// kinds are those of pg_upgrade for versions that this program reads.
var kinds = []kind{
	{pg.RefusedType, func(j *judge, o pg.Obstacle) bool { return o.Detail != "aclitem" || j.crosses(16) },
		func(o pg.Obstacle) string { return column(o) + " (" + o.Detail + ")" },
		"In database {database}, columns with types whose values pg_upgrade cannot keep: {list}.",
		"Change the type of the columns, for example to text, or drop them. Change them back after the upgrade."},
	{pg.GistInet, crossing(19), relation,
		"In database {database}, indexes with the btree_gist classes gist_inet_ops or gist_cidr_ops: {list}.",
		"Drop the indexes before the upgrade. Create them with the built-in class inet_ops: CREATE INDEX … USING " +
			"gist " +
			"(COLUMN_NAME inet_ops)"},
	{pg.InheritedNotNull, crossing(18), column,
		"In database {database}, columns without the NOT NULL of their parent table: {list}.",
		"Set it for each of them (reads the table under a lock): ALTER TABLE TABLE_NAME ALTER COLUMN COLUMN_NAME " +
			"SET NOT NULL;"},
	{pg.PostfixOperator, crossing(14), relation,
		"In database {database}, user-defined postfix operators, which PostgreSQL 14 removed: {list}.",
		"Replace them with prefix operators or functions, and drop them."},
	{pg.Conversion, crossing(14), relation,
		"In database {database}, user-defined encoding conversions, whose function arguments changed in " +
			"PostgreSQL 14: {list}.",
		"Drop them before the upgrade, and create them with the new functions afterwards."},
	{pg.Polymorphic, crossing(14), relation,
		"In database {database}, aggregates or operators on array functions whose arguments changed in " +
			"PostgreSQL 14: {list}.",
		"Drop them before the upgrade. Create them afterwards with anycompatiblearray and anycompatible instead of " +
			"anyarray and anyelement."},
	{pg.TableSync, func(j *judge, _ pg.Obstacle) bool { return j.from >= slotsFrom }, relation,
		"In database {database}, tables whose initial synchronization has not ended: {list}.",
		"Wait until pg_subscription_rel shows the states i and r only."},
}

// objects returns what --deep found, and notes the databases that were not asked.
func (j *judge) objects() []pg.Obstacle {
	list, ok := need(j, j.in.Server.Deep.Upgrade)
	if !ok {
		return nil
	}
	visits, _ := j.in.Server.Deep.Visits.Get()
	for _, v := range visits {
		if v.Reason != "" && (v.Query == "" || v.Query == "deep_upgrade") {
			j.unknown(known.Gap{Fact: "database " + v.Database, Reason: v.Reason, Reveal: v.Reveal})
		}
	}
	return list
}

// databases judges what single databases hold.
func (j *judge) databases() {
	list := j.objects()
	for _, k := range kinds {
		names := map[string][]string{}
		var order []string
		for _, o := range list {
			if o.Kind != k.kind || !k.when(j, o) {
				continue
			}
			if names[o.Database] == nil {
				order = append(order, o.Database)
			}
			names[o.Database] = append(names[o.Database], k.name(o))
		}
		for _, d := range order {
			j.stop(k.kind, say.M(k.seen, "database", d, "list", say.Names(names[d], listed)), say.M(k.do))
		}
	}
	for _, o := range list {
		if o.Kind == pg.FunctionSetting {
			j.functionSetting(o)
		}
	}
}

// functionSetting judges what a function sets for itself.
func (j *judge) functionSetting(o pg.Obstacle) {
	name, value, _ := strings.Cut(o.Detail, "=")
	removed, text := j.stored(name, value)
	if text.IsZero() {
		return
	}
	j.stop("function_setting_"+why(removed), say.M("Stored setting (function {function} in database {database}): "+
		"{text}",
		"function", relation(o), "database", o.Database, "text", text),
		say.M("Reset it before the upgrade: pg_upgrade fails when it restores it, and pg_upgrade --check does not "+
			"report "+
			"it."), check.SQL("ALTER ROUTINE "+conf.SQLName(o.Schema)+"."+conf.SQLName(o.Name)+arguments(o.Column)+
			" RESET "+name+";"))
}

// typeNames are the types of arguments as the server spells them: nothing that could end the statement.
var typeNames = regex.New(`^\([\pL\pN_ ,."\[\]]*\)$`)

// arguments are those of a function, which tell it from others of its name; "" if they are not known.
func arguments(types string) string {
	if !typeNames.MatchString(types) {
		return ""
	}
	return types
}

// goneExtensions are extensions of PostgreSQL itself and the first version without them.
var goneExtensions = map[string]int{"plpythonu": 15, "plpython2u": 15, "hstore_plpythonu": 15, "hstore_plpython2u": 15,
	"jsonb_plpythonu": 15, "jsonb_plpython2u": 15, "ltree_plpythonu": 15, "ltree_plpython2u": 15, "adminpack": 17,
	"old_snapshot": 17}

// found is the installation of the new version on this host; ok is false if there is none, or it is not known.
func (j *judge) found() (host.InstalledServer, bool) {
	list, _ := j.s.Host.Servers.Get()
	for _, s := range list {
		if s.Major() == j.to {
			return s, true
		}
	}
	return host.InstalledServer{}, false
}

// installed judges extensions and libraries: those that are gone, and those that the new version lacks on this host.
func (j *judge) installed() {
	where := map[string][]string{} // extension: databases
	libraries := map[string]bool{}
	for _, o := range j.objects() {
		switch o.Kind {
		case pg.InstalledIn:
			where[o.Extension] = append(where[o.Extension], o.Database)
		case pg.LibraryOf:
			libraries[o.Library] = true
		}
	}
	if list, ok := need(j, j.in.Server.Extensions); ok {
		access, _ := j.in.Server.Access.Get()
		for _, e := range list {
			if e.Name != "plpgsql" && !slices.Contains(where[e.Name], access.Database) {
				where[e.Name] = append(where[e.Name], cmp.Or(access.Database, "?"))
			}
		}
	}
	to, here := j.found()
	var names []string
	for n := range where {
		names = append(names, n)
	}
	slices.Sort(names)
	told := map[string]bool{} // whose library is missing with them
	for _, n := range names {
		databases := say.Names(where[n], listed)
		switch gone := goneExtensions[n]; {
		case gone != 0 && j.crosses(gone):
			told[n] = true
			j.stop("extension_removed", say.M("Extension {extension} (in {databases}) was removed in PostgreSQL "+
				"{major}.",
				"extension", n, "databases", databases, "major", MajorOf(gone)),
				say.M("Drop it in each of these databases before the upgrade: DROP EXTENSION {extension};", "extension",
					conf.SQLName(n)))
		case here && to.Extensions != nil && !slices.Contains(to.Extensions, n):
			told[n] = true
			j.stop("extension_missing", say.M("Extension {extension} (in {databases}) is not installed for PostgreSQL "+
				"{major} ({directory}).", "extension", n, "databases", databases, "major", j.to, "directory", to.Path),
				say.M("Install its package for {major}, or drop it before the upgrade: DROP EXTENSION {extension};",
					"major", j.to, "extension", conf.SQLName(n)))
		}
	}
	j.libraries(to, here, libraries, told)
	if !here && (len(where) > 0 || len(libraries) > 0) {
		j.out.NotExamined = append(j.out.NotExamined, say.M("Whether these extensions exist for PostgreSQL {major}, "+
			"which was not found on this host: {extensions}.", "major", j.to, "extensions", say.Names(names, listed)))
	}
}

// libraries judges those that functions name and those that are loaded at start.
func (j *judge) libraries(to host.InstalledServer, here bool, ofFunctions, told map[string]bool) {
	preloaded, ok := need(j, j.in.Server.Libraries)
	if !here || to.Libraries == nil {
		return
	}
	var missing []string
	for l := range ofFunctions {
		name, own := strings.CutPrefix(l, "$libdir/")
		name = strings.TrimSuffix(name, ".so")
		if own && !strings.Contains(name, "/") && !told[name] && !slices.Contains(to.Libraries, name) {
			missing = append(missing, l)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		j.stop("library_missing", say.M("Functions use libraries that are not installed for PostgreSQL {major} "+
			"({directory}): {libraries}.", "major", j.to, "directory", to.Path, "libraries",
			say.Names(missing, listed)),
			say.M("Install their packages for {major}, or drop the functions.", "major", j.to))
	}
	if !ok {
		return
	}
	for _, l := range preloaded {
		name := strings.TrimSuffix(path.Base(l.Name), ".so")
		if strings.HasPrefix(l.Name, "/") || slices.Contains(to.Libraries, name) {
			continue
		}
		j.stop("preload_missing", say.M("{parameter}: the library {library} is not installed for PostgreSQL {major} "+
			"({directory}).", "parameter", l.Parameter, "library", l.Name, "major", j.to, "directory", to.Path),
			say.M("Install its package for {major}, or remove it from {parameter} in the new configuration.", "major",
				j.to, "parameter", l.Parameter))
	}
}
