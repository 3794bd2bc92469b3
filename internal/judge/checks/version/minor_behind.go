package version

import (
	"github.com/pgfettle/pgfettle/internal/fact/pg/releases"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// severalBehind: minor releases come every quarter, so two of them are half a
// year of known and published holes.
const severalBehind = 2

// MinorBehind knows the releases of the day on which this program was built and
// says so; of a version newer than that it says nothing.
var MinorBehind = check.Check{
	ID:       "minor_behind",
	Area:     check.Version,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "The server lacks minor releases",
	Why: "Minor releases hold nothing but corrections: security holes, crashes, wrong answers, damaged indexes. " +
		"They never change the file format, so staying behind is the greater risk: the " +
		"holes are published with the release that closes them.",
	Do: "Read the release notes in between for steps that they ask for (a REINDEX, now and then), install the " +
		"new packages and restart the server: no dump and no pg_upgrade are needed. Standbys first.",
	Sources: []string{"pg-versioning", "pg-release-notes"},
	Judge: func(c *check.Case) {
		v, ok := check.Need(c, c.Instance.Server.Version)
		if !ok {
			return
		}
		if c.Stopped() && v.Minor() == 0 {
			return // PG_VERSION tells the major alone, and the program was not asked
		}
		r, ok := releases.Of(v.Major())
		if !ok || v >= r.Latest {
			return
		}
		behind := r.Latest.Minor() - v.Minor()
		sev := check.Notice
		if behind >= severalBehind {
			sev = check.Warning
		}
		c.FoundAs(sev, "{version} runs; {latest} was the latest release in {date} (minor releases missing: {behind}).",
			"version", v, "date", releases.AsOf, "latest", r.Latest, "behind", behind)
	},
}
