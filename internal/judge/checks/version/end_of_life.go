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
// evidence file tells the same on every day. A snapshot without a time (a host
// that was only described) is not judged.
var EndOfLife = check.Check{
	ID:       "end_of_life",
	Area:     check.Version,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "The major version is at the end of its support",
	Why: "A major version gets corrections for five years. After that security holes and data-damaging errors that " +
		"are found stay open, packages vanish from the " +
		"repositories, and the way to a supported version gets longer with each year.",
	Do: "Plan the upgrade: pg_upgrade --link takes minutes and needs both versions' binaries, logical replication " +
		"makes it nearly free of downtime, a dump is slow and simple. Try it on a copy, run ANALYZE " +
		"afterwards (18 keeps the statistics), and check extensions and the release notes of each major version in " +
		"between.",
	Sources: []string{"pg-versioning"},
	Judge: func(c *check.Case) {
		v, ok := check.Need(c, c.Instance.Server.Version)
		if !ok || c.Snapshot.TakenAt <= 0 {
			return
		}
		if v.Major() < releases.Oldest() {
			c.Found("{version} runs; its major version was out of support before {oldest} was.", "version", v, "oldest",
				releases.Oldest())
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
			c.Found("{version} runs; the last release of {major} came on {day}.", "version", v, "major", v.Major(),
				"day", day)
		case left <= lifeWarning:
			c.FoundAs(check.Notice, "{version} runs; {major} gets its last release on {day}, in {left}.", "version",
				v, "major", v.Major(), "day", day, "left", say.Span(left.Seconds()))
		}
	},
}
