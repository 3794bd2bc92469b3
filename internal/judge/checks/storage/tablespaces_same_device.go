package storage

import (
	"sort"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/check/volumes"
)

// TablespacesSameDevice is info: a tablespace as a label, or for a
// quota, is not a fault, only not faster.
var TablespacesSameDevice = check.Check{
	ID:        "tablespaces_same_device",
	Area:      check.Storage,
	Severity:  check.Info,
	Scope:     check.PerInstance,
	Title:     "Tablespace on the same device as the data directory",
	DependsOn: []string{"tablespace_in_pgdata"},
	Why: "A tablespace is for using other disks. On the same disks it adds neither speed nor space, but base " +
		"backups must relocate it (--tablespace-mapping), and a lost directory can keep the cluster from starting. " +
		"To group objects, schemas and databases are enough. For network storage, the physical disks are not visible " +
		"from this host.",
	Do: "If there is no other reason for the tablespace, remove it:\n" +
		"1. In each database, move its objects (this locks each one while it is moved): ALTER TABLE ALL IN " +
		"TABLESPACE TABLESPACE_NAME SET TABLESPACE pg_default; ALTER INDEX ALL IN TABLESPACE TABLESPACE_NAME SET " +
		"TABLESPACE pg_default;\n" +
		"2. Drop it: DROP TABLESPACE TABLESPACE_NAME;",
	Sources: []string{"pg-tablespaces", "dalibo-j1"},
	Judge: func(c *check.Case) {
		list := volumes.Mounts(c)
		blocks, _ := c.Snapshot.Host.Blocks.Get()
		var data volumes.Mounted
		for _, m := range list {
			if m.Role == snapshot.DataPlace {
				data = m
			}
		}
		same := say.List{Most: 3}
		spills := tempSpaces(c)
		for _, m := range list {
			if m.Role != snapshot.TablespacePlace || data.Path == "" || volumes.OnTmpfs(m.Mount) ||
				strings.HasPrefix(m.Path, data.Path+"/") || spills[m.Tablespace] {
				// in memory, inside the data directory or for temporary files: each is worse and has its own check
				continue
			}
			switch a, b := diskNames(blocks, data), diskNames(blocks, m); {
			case m.Mount.Point == data.Mount.Point:
				same.Items = append(same.Items, say.M("{directory} (filesystem {point})", "directory",
					volumes.PlaceName(m.Place), "point", m.Mount.Point))
			case a != "" && a == b:
				same.Items = append(same.Items, say.M("{directory} (disk {disk})", "directory",
					volumes.PlaceName(m.Place), "disk", a))
			}
		}
		if len(same.Items) > 0 {
			c.Found("On the same filesystem or disk as the data directory: {places}.", "places", same)
		}
	},
}

// tempSpaces returns the oids of the tablespaces that temporary files go to.
func tempSpaces(c *check.Case) map[string]bool {
	set, _ := c.Instance.Server.Settings.Get()
	v, _ := set.Text("temp_tablespaces")
	spaces, _ := c.Instance.Server.Tablespaces.Get()
	out := map[string]bool{}
	for name := range strings.SplitSeq(v, ",") {
		for _, s := range spaces {
			if s.Name == strings.Trim(strings.TrimSpace(name), `"`) {
				out[strconv.FormatInt(s.OID, 10)] = true
			}
		}
	}
	return out
}

// diskNames lists the disks below a directory; "" if they are unknown.
func diskNames(blocks []host.Block, m volumes.Mounted) string {
	device := m.Device
	if device == "" {
		device = m.Mount.Device
	}
	list, ok := volumes.Disks(blocks, device)
	if !ok {
		return ""
	}
	var names []string
	for _, b := range list {
		names = append(names, b.Name)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}
