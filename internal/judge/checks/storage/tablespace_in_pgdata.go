package storage

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// TablespaceInPgdata asks no more than the server itself, which warns about
// such a location when the tablespace is made.
var TablespaceInPgdata = check.Check{
	ID:       "tablespace_in_pgdata",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "A tablespace lies inside the data directory",
	Why: "Whatever walks the data directory meets these files twice, once as a folder and once through the link in " +
		"pg_tblspc. A copy made " +
		"with tar, cp or rsync holds them double, and the link of the copy still points into the original data " +
		"directory, so two servers can " +
		"end up writing the same files. pg_upgrade and restores put them at the wrong place. Being on the same " +
		"filesystem it gains nothing.",
	Do: "Make a folder outside of the data directory, CREATE TABLESPACE there, move the objects with ALTER TABLE " +
		"ALL IN TABLESPACE … SET " +
		"TABLESPACE … (and ALTER INDEX likewise; both lock what they move) and drop the old tablespace. If no other " +
		"disk is meant, move them to pg_default.",
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
			c.Found("Inside the data directory {data}: {folders}.", "data", data, "folders",
				check.Join(inside, ", ", 3))
		}
	},
}
