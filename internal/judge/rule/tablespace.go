package rule

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// tablespaceAdvice tells, with its SQL, what of a tablespace is to be set by hand: its
// options stand in a catalog, which is no file that a plan could put back byte for byte.
func (c *Case) tablespaceAdvice() {
	spaces, ok := c.Instance.Server.Tablespaces.Get()
	places, ok2 := c.Instance.Places.Get()
	i := slices.IndexFunc(places, func(p snapshot.Place) bool { return p.Role == snapshot.DataPlace })
	if !ok || !ok2 || i < 0 || c.Options.Storage != "" {
		return // --storage says one kind for all of it
	}
	data := places[i]
	main, _, ok := c.kindOf(data)
	if !ok {
		return
	}
	for _, t := range spaces {
		for _, p := range places {
			if p.Role != snapshot.TablespacePlace || p.Tablespace != strconv.FormatInt(t.OID, 10) {
				continue
			}
			if its, why, ok := c.kindOf(p); ok && its != main {
				c.tablespaceCosts(t, its, why, main)
			}
			c.spillSpace(t, p, data, main)
		}
	}
}

// kindOf is what the disks under a place are, where that is known.
func (c *Case) kindOf(p snapshot.Place) (s Storage, why string, ok bool) {
	device := p.Device
	if m, mounted := c.Snapshot.MountOf(p.Path); mounted {
		if m.FSType == "tmpfs" || slices.Contains(networkFS, m.FSType) {
			return "", "", false
		}
		if device == "" {
			device = m.Device
		}
	}
	s, why, reason := c.storageUnderDevice(device)
	return s, why, reason == ""
}

// tablespaceCosts tells the options of a tablespace whose disks are of another kind than
// the data directory's. What the tablespace has set itself stays.
func (c *Case) tablespaceCosts(t pg.Tablespace, its Storage, why string, main Storage) {
	var set, names []string
	option := func(name, value string) {
		if !slices.ContainsFunc(t.Options, func(o string) bool { return strings.HasPrefix(o, name+"=") }) {
			set, names = append(set, name+" = "+value), append(names, name)
		}
	}
	// Of the tablespace's own seq_page_cost, where it has one, else of the server's: all
	// costs have one scale.
	scale, ok := c.Float(knob.PG("seq_page_cost"))
	if !ok || scale <= 0 {
		scale = 1
	}
	for _, o := range t.Options {
		if v, is := strings.CutPrefix(o, "seq_page_cost="); is {
			if f, err := strconv.ParseFloat(v, 64); err == nil && f > 0 {
				scale = f
			}
		}
	}
	a, b := pageCosts[its], pageCosts[main]
	if a.want != b.want {
		option("random_page_cost", strconv.FormatFloat(significant(a.want*scale), 'f', -1, 64))
	}
	// As effective_io_concurrency and maintenance_io_concurrency of the server. From 18 on
	// the defaults serve both kinds.
	if v, ok := c.Instance.Server.Version.Get(); ok && v.Major() < 18 && (its == HDD) != (main == HDD) {
		if its == HDD {
			option("effective_io_concurrency", "2")
			option("maintenance_io_concurrency", "10")
		} else {
			option("effective_io_concurrency", "200")
			option("maintenance_io_concurrency", "100")
		}
	}
	if len(set) == 0 {
		return
	}
	c.Warn("Tablespace {name} lies on {its} ({why}) and the data directory on {main}, and what the server has set for one is wrong for the other. By hand, in any database: {sql} New plans take it at once; {back} takes it back.",
		"name", t.Name, "its", string(its), "why", why, "main", string(main),
		"sql", "ALTER TABLESPACE "+identifier(t.Name)+" SET ("+strings.Join(set, ", ")+");",
		"back", "ALTER TABLESPACE "+identifier(t.Name)+" RESET ("+strings.Join(names, ", ")+");")
}

// forTemp is a name that somebody gave a tablespace for temporary files.
var forTemp = regexp.MustCompile(`(?i)(^|[^a-z])(te?mp|temporary|spills?)([^a-z]|$)`)

// spillSpace tells of a tablespace that is named for temporary files, lies on other
// disks that are no slower, and is not used for them. Whether the roles may create in
// it is not known here, so it is told with the GRANT and never planned.
func (c *Case) spillSpace(t pg.Tablespace, p, data snapshot.Place, main Storage) {
	now, ok := c.Text(knob.PG("temp_tablespaces"))
	its, _, kind := c.kindOf(p)
	a, ok2 := c.Snapshot.MountOf(p.Path)
	b, ok3 := c.Snapshot.MountOf(data.Path)
	if !ok || strings.TrimSpace(now) != "" || !kind || !ok2 || !ok3 || a.Device == b.Device || !forTemp.MatchString(t.Name) ||
		slices.Index(slowness, its) > slices.Index(slowness, main) {
		return
	}
	c.Warn("Tablespace {name} is named for temporary files and lies on a filesystem of its own ({point}, {its}), and temp_tablespaces is empty: spills of queries take room and writes from the data directory. By hand: {grant} to every role that runs such queries, then {set} SELECT pg_reload_conf(); A role without CREATE on it goes on in the data directory.",
		"name", t.Name, "point", a.Point, "its", string(its), "grant", "GRANT CREATE ON TABLESPACE "+identifier(t.Name),
		"set", "ALTER SYSTEM SET temp_tablespaces = "+identifier(t.Name)+";")
}

var bareIdentifier = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// identifier spells a name as SQL takes it.
func identifier(name string) string {
	if bareIdentifier.MatchString(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
