package version

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/pg/releases"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// severalBehind: minor releases come every quarter, so two of them are half a
// year of known and published holes.
const severalBehind = 2

// MinorBehind knows the releases of the day on which this program was built, and
// names that day; it reports nothing for a newer version.
var MinorBehind = check.Check{
	ID:       "minor_behind",
	Area:     check.Version,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Minor updates are missing",
	Why: "Minor releases contain only fixes: security, crashes, wrong results, corrupt indexes. They never " +
		"change the file format. Not updating is the greater risk, because security bugs are published with " +
		"the release that fixes them.",
	Do: "Read the release notes in between for required steps (sometimes REINDEX). Install the new packages " +
		"and restart the server, standbys first. Neither a dump nor pg_upgrade is needed.",
	Sources: []string{"pg-versioning", "pg-release-notes"},
	Judge: func(c *check.Case) {
		v, ok := check.Need(c, c.Instance.Server.Version)
		if !ok {
			return
		}
		if v.Minor() == 0 && (c.Stopped() || c.Instance.MajorOnly()) {
			return // PG_VERSION and a person's words have only the major version, and the program was not run
		}
		r, ok := releases.Of(v.Major())
		if !ok || v >= r.Latest || old(c) {
			return
		}
		behind := r.Latest.Minor() - v.Minor()
		sev := check.Notice
		if behind >= severalBehind {
			sev = check.Warning
		}
		c.FoundAs(sev, "PostgreSQL {version}; latest minor release as of {date}: {latest}; missing minor releases: "+
			"{behind}.",
			"version", v, "date", releases.Known().Format(time.DateOnly), "latest", r.Latest, "behind", behind)
	},
}

// old reports whether the table is too old for a snapshot to say what the latest release is.
func old(c *check.Case) bool {
	return c.Snapshot.TakenAt > 0 && time.Unix(c.Snapshot.TakenAt, 0).Sub(releases.Known()) > releases.MaxAge
}
