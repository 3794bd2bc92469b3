package version

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/releases"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// lifeWarning is how long before the end a notice comes: a major upgrade with
// its tests takes a team a few months.
const lifeWarning = 180 * 24 * time.Hour

// EndOfLife judges by the time at which the snapshot was taken, so that an
// evidence file gives the same result on every day. A snapshot without a time (a host
// that was only described) is not judged, nor is a product that was made from PostgreSQL.
var EndOfLife = check.Check{
	ID:       "end_of_life",
	Area:     check.Version,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Major version at or near end of life (EOL)",
	Why: "A major version gets fixes for five years. After that, newly found security and data corruption bugs " +
		"stay open, and packages disappear from the repositories. The upgrade path becomes longer with each " +
		"year.",
	Do: "Plan a major upgrade, and test it on a copy. pg_upgrade --link takes minutes and needs the binaries " +
		"of both versions; once the new server has started, the old cluster is unusable. Logical replication " +
		"needs almost no downtime; dump and restore is slow but simple. Run ANALYZE afterwards (pg_upgrade to " +
		"18 or later keeps most statistics). Check the extensions and the release notes of each major version " +
		"in between.",
	Sources: []string{"pg-versioning"},
	Judge: func(c *check.Case) {
		v, ok := check.Need(c, c.Instance.Server.Version)
		if !ok || c.Snapshot.TakenAt <= 0 || !c.Community() {
			return
		}
		if v.Major() < releases.Oldest() {
			c.Found("PostgreSQL {version}: its support ended before that of {oldest}.", "version",
				c.Instance.Version(), "oldest", releases.Oldest())
			return
		}
		r, ok := releases.Of(v.Major())
		if !ok {
			return
		}
		left := r.Last.Sub(time.Unix(c.Snapshot.TakenAt, 0))
		day := r.Last.Format(time.DateOnly)
		switch {
		case left <= 0:
			c.Found("PostgreSQL {version}; last release of {major}: {day}.", "version", c.Instance.Version(), "major",
				v.Major(), "day", day)
		case left <= lifeWarning:
			c.FoundAs(check.Notice, "PostgreSQL {version}; last release of {major}: {day}, in {left}.", "version",
				c.Instance.Version(), "major", v.Major(), "day", day, "left", say.Span(left.Seconds()))
		}
	},
}
