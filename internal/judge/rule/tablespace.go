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

// tablespaceAdvice tells of a tablespace that temporary files should go to. Costs and
// depths are options of the tablespace, with rules of their own.
func (c *Case) tablespaceAdvice() {
	spaces, ok := c.Instance.Server.Tablespaces.Get()
	places, ok2 := c.Instance.Places.Get()
	i := slices.IndexFunc(places, func(p snapshot.Place) bool { return p.Role == snapshot.DataPlace })
	if !ok || !ok2 || i < 0 || c.Options.Storage != "" {
		return // --storage says one kind for all of it
	}
	main, _, ok := c.kindOf(places[i])
	if !ok {
		return
	}
	for _, t := range spaces {
		for _, p := range places {
			if p.Role == snapshot.TablespacePlace && p.Tablespace == strconv.FormatInt(t.OID, 10) {
				c.spillSpace(t, p, places[i], main)
			}
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
