package storage

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// TempTablespacesPlace looks at the setting in force for new sessions. One in
// memory is reported by data_on_tmpfs.
var TempTablespacesPlace = check.Check{
	ID:       "temp_tablespaces_place",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "temp_tablespaces names unsuitable tablespaces",
	Why: "A tablespace for temporary files keeps queries from filling the data filesystem, and should be on a fast " +
		"local disk. Names that do not exist are ignored without a message. With several tablespaces, each " +
		"temporary file uses the next one, regardless of free space. If one is full, the query fails even if the " +
		"others are empty.",
	Do: "1. Create one tablespace on a separate, fast, local filesystem that is large enough for all temporary " +
		"files together.\n" +
		"2. Allow its use: GRANT CREATE ON TABLESPACE TABLESPACE_NAME TO ROLE_NAME;\n" +
		"3. Name it in temp_tablespaces (reload).\n" +
		"4. Limit the space per process with temp_file_limit (reload).",
	Sources: []string{"pg-config-client", "pg-tablespaces", "dalibo-j1"},
	Judge: func(c *check.Case) {
		v, ok := c.Setting("temp_tablespaces")
		if !ok || strings.TrimSpace(v) == "" {
			return
		}
		spaces, ok := check.Need(c, c.Instance.Server.Tablespaces)
		if !ok {
			return
		}
		var absent []string
		var used []pg.Tablespace
		for _, name := range strings.Split(v, ",") {
			name = strings.Trim(strings.TrimSpace(name), `"`)
			if name == "" || name == "pg_default" {
				continue
			}
			i := 0
			for i < len(spaces) && spaces[i].Name != name {
				i++
			}
			if i == len(spaces) {
				absent = append(absent, name)
				continue
			}
			used = append(used, spaces[i])
		}
		if len(absent) > 0 {
			c.Found("Tablespaces that do not exist: {names}.", "names", say.Names(absent, 3))
		}
		if len(used) > 0 {
			placesOfSpills(c, used)
		}
	},
}

func placesOfSpills(c *check.Case, used []pg.Tablespace) {
	list := volumes.Mounts(c)
	data := ""
	for _, m := range list {
		if m.Role == snapshot.DataPlace {
			data = m.Mount.Point
		}
	}
	var same []string
	far := say.List{Most: 3}
	room := map[string]int64{} // by mount point
	sizes, _ := c.Snapshot.Host.Spaces.Get()
	for _, t := range used {
		for _, m := range list {
			if m.Tablespace != strconv.FormatInt(t.OID, 10) {
				continue
			}
			if volumes.OnTmpfs(m.Mount) {
				continue
			}
			switch {
			case volumes.OverNetwork(m.Mount):
				far.Items = append(far.Items, say.M("{name} ({type} from {source})", "name", t.Name, "type",
					m.Mount.FSType, "source", m.Mount.Source))
			case m.Mount.Point == data:
				same = append(same, t.Name)
			}
			if sp, ok := c.Snapshot.SpaceAt(sizes, m.Path); ok {
				room[m.Mount.Point] = int64(sp.Free)
			}
		}
	}
	if len(far.Items) > 0 {
		c.Found("Temporary files go over the network: {names}.", "names", far)
	}
	if len(same) > 0 {
		c.Found("On the filesystem of the data directory ({point}), which temporary files can still fill: {names}.",
			"point", data, "names", say.Names(same, 3))
	}
	least, most, leastAt := int64(-1), int64(0), ""
	for point, free := range room {
		if most = max(most, free); least < 0 || free < least || free == least && point < leastAt {
			least, leastAt = free, point
		}
	}
	if len(room) > 1 && most/limits.TempRoomUneven > least {
		c.Found("The tablespaces are used in turn, but {point} has less than 25% of the free space of another.",
			"point", leastAt)
	}
}
