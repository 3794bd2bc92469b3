package storage

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TablespaceInPgdata reports what the server itself warns about
// when such a tablespace is created.
var TablespaceInPgdata = check.Check{
	ID:       "tablespace_in_pgdata",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Tablespace inside the data directory",
	Why: "Tools that copy the data directory find these files twice: in the directory and through the link in " +
		"pg_tblspc. A copy made with tar, cp or rsync contains them twice, and its link still points into the " +
		"original data directory, so two servers can write the same files. pg_upgrade and restores put the files " +
		"in the wrong place. On the same filesystem, the tablespace gains nothing.",
	Do: "1. Create a tablespace outside the data directory, or use pg_default if no other disk is intended.\n" +
		"2. In each database, move the objects (this locks each one while it is moved): ALTER TABLE ALL IN " +
		"TABLESPACE OLD_NAME SET TABLESPACE NEW_NAME; ALTER INDEX ALL IN TABLESPACE OLD_NAME SET TABLESPACE " +
		"NEW_NAME;\n" +
		"3. Drop the old tablespace: DROP TABLESPACE OLD_NAME;",
	Sources: []string{"pg-tablespaces"},
	Judge: func(c *check.Case) {
		places, ok := check.Need(c, c.Instance.Places)
		if !ok {
			return
		}
		data := ""
		for _, p := range places {
			if p.Role == snapshot.DataPlace {
				data = p.Path
			}
		}
		var inside []string
		for _, p := range places {
			if p.Role == snapshot.TablespacePlace && data != "" && strings.HasPrefix(p.Path, data+"/") {
				inside = append(inside, p.Path)
			}
		}
		if len(inside) > 0 {
			c.Found("Inside the data directory {data}: {folders}.", "data", data, "folders", say.Names(inside, 3))
		}
	},
}
