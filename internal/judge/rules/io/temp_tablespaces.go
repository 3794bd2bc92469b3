package io

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TempTablespaces is planned only if a tablespace was created for temporary files but is not used: the choice of disks
// for that is the administrator's.
var TempTablespaces = rule.Rule{
	Address: knob.PG("temp_tablespaces"),
	Title:   "Tablespaces for temporary tables and files",
	Why: "Queries that exceed work_mem spill to temporary files, by default in the data directory. These files " +
		"compete with the data for space and writes. On a separate filesystem, a query that spills too much fails " +
		"alone. Roles without CREATE on the tablespace keep using the data directory; no query fails because of it.",
	Formula: "Only if it is empty. Candidates are tablespaces with the word temp, tmp, temporary or spill in their " +
		"name, on a separate filesystem and on disks no slower than those of the data. They need at least a quarter " +
		"of the free space of the data directory. Of several, the one with the most free space.",
	Sources: []string{"pg-config-client", "pg-tablespaces"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		now, ok := c.Text(knob.PG("temp_tablespaces"))
		if !ok {
			return
		}
		if strings.TrimSpace(now) != "" {
			c.Keep("already set")
			return
		}
		list := spillSpaces(c)
		if len(list) == 0 {
			return
		}
		best := slices.MaxFunc(list, func(a, b spillSpace) int { return cmp.Compare(a.free, b.free) })
		grant := "GRANT CREATE ON TABLESPACE " + identifier(best.name)
		if !best.roomy || !bareIdentifier.MatchString(best.name) {
			c.Warn(
				"Tablespace {name} is named for temporary files and is on a separate filesystem ({point}, {its}), "+
					"but temp_tablespaces is empty. Queries therefore spill into the data directory. If the "+
					"tablespace has enough space, run these, for each ROLE whose queries spill: {grant} TO ROLE; "+
					"{set} SELECT pg_reload_conf(); Roles without CREATE on it keep using the data directory.",
				"name", best.name, "point", best.point, "its", string(best.kind), "grant", grant,
				"set", "ALTER SYSTEM SET temp_tablespaces = "+identifier(best.name)+";")
			return
		}
		c.Set(best.name, "tablespace {name} is named for temporary files and is on a separate filesystem ({point}, "+
			"{its}, {free} free). Every role that uses it needs {grant}; other roles keep using the data directory",
			"name", best.name, "point", best.point, "its", string(best.kind), "free", best.free, "grant", grant)
	},
}

// spillSpace is a tablespace that was created for temporary files.
type spillSpace struct {
	name, point string
	kind        rule.Storage
	free        unit.Bytes // 0 if it is not known
	roomy       bool       // known to have enough room compared with the data directory
}

// forTemp is the name of a tablespace that was made for temporary files.
var forTemp = regex.New(`(?i)(^|[^a-z])(te?mp|temporary|spills?)([^a-z]|$)`)

// spillSpaces are the tablespaces for temporary files on separate filesystems, and on disks that are no slower than
// those of the data.
func spillSpaces(c *rule.Case) (out []spillSpace) {
	spaces, ok := c.Instance.Server.Tablespaces.Get()
	places, ok2 := c.Instance.Places.Get()
	i := slices.IndexFunc(places, func(p snapshot.Place) bool { return p.Role == snapshot.DataPlace })
	if !ok || !ok2 || i < 0 || c.Options.Storage != "" {
		return nil // --storage says one kind for all of it
	}
	main, _, ok := kindOf(c, places[i])
	data, mounted := c.Snapshot.MountOf(places[i].Path)
	if !ok || !mounted {
		return nil
	}
	rooms, _ := c.Snapshot.Host.Spaces.Get()
	beside, seen := c.Snapshot.SpaceAt(rooms, places[i].Path)
	for _, t := range spaces {
		for _, p := range places {
			if p.Role != snapshot.TablespacePlace || p.Tablespace != strconv.FormatInt(t.OID, 10) ||
				!forTemp.MatchString(t.Name) {
				continue
			}
			kind, _, known := kindOf(c, p)
			m, ok := c.Snapshot.MountOf(p.Path)
			if known && ok && m.Device != data.Device && slices.Index(rule.Slowness,
				kind) <= slices.Index(rule.Slowness, main) {
				room, ok := c.Snapshot.SpaceAt(rooms, p.Path)
				out = append(out, spillSpace{t.Name, m.Point, kind, room.Free,
					ok && seen && room.Free >= beside.Free/limits.TempRoomUneven})
			}
		}
	}
	return out
}
