package check

// severalBehind: minor releases come every quarter, so two of them are half a
// year of known and published holes.
const severalBehind = 2

// MinorBehind knows the releases of the day on which this program was built and
// says so; of a version newer than that it says nothing. A host that was only
// described (a snapshot without a time) has a major version and no minor one.
var MinorBehind = Check{
	ID:       "minor_behind",
	Area:     Version,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "The server lacks minor releases",
	Why: "Minor releases hold nothing but corrections: security holes, crashes, wrong answers, damaged indexes. They never change the file format, so staying behind is the greater risk: the " +
		"holes are published with the release that closes them.",
	Do:      "Read the release notes in between for steps that they ask for (a REINDEX, now and then), install the new packages and restart the server: no dump and no pg_upgrade are needed. Standbys first.",
	Sources: []string{"pg-versioning", "pg-release-notes"},
	Judge: func(c *Case) {
		v, ok := Need(c, c.Instance.Server.Version)
		if !ok || c.Snapshot.TakenAt <= 0 {
			return
		}
		r, ok := releaseOf(v.Major())
		if !ok || v.Minor() >= r.minor {
			return
		}
		sev := Notice
		if r.minor-v.Minor() >= severalBehind {
			sev = Warning
		}
		c.FoundAs(sev, "{version} runs; {major}.{minor} was the latest release in {date} (minor releases missing: {behind}).",
			"version", v, "date", releasesAsOf, "major", r.major, "minor", r.minor, "behind", r.minor-v.Minor())
	},
}
