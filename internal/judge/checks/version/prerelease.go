package version

import "github.com/pgfettle/pgfettle/internal/judge/check"

// Prerelease is a warning and no error: such a server is right on a host for tests.
var Prerelease = check.Check{
	ID:       "prerelease",
	Area:     check.Version,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Beta version or release candidate",
	Why: "A beta version or release candidate is for tests. It gets no security fixes. Features may still be " +
		"removed, and the format of the catalogs can change until the release: the next version then does not " +
		"start with this data directory.",
	Do: "Use a released version for data that matters. To move to the release, use pg_upgrade, or dump and restore, " +
		"as between major versions; read the release notes first.",
	Sources: []string{"pg-versioning", "pg-release-notes"},
	Judge: func(c *check.Case) {
		if _, ok := c.Settings(); !ok {
			return
		}
		if name := c.Instance.Server.PreRelease(); name != "" {
			c.Found("PostgreSQL {version}.", "version", name)
		}
	},
}
