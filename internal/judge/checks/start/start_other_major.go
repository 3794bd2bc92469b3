package start

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StartOtherMajor uses the program that the last start or the unit names. A program
// that was searched and not found may be in an unknown directory.
var StartOtherMajor = check.Check{
	ID:       "start_other_major",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Data directory of another major version",
	Why: "A server reads only data directories of its own major version. After an upgrade of the operating " +
		"system or of the packages, the new program finds the old data and stops with \"database files are " +
		"incompatible with server\". The data is not damaged.",
	Do: "Install the program of the major version of the data directory and start with it. Or upgrade the " +
		"data directory with pg_upgrade, which needs the programs of both versions (Debian: " +
		"pg_upgradecluster). Do not run initdb in the data directory, and do not edit PG_VERSION.",
	Sources: []string{"pg-upgrading"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		p, ok := check.Need(c, c.Instance.Start.Program)
		if !ok || p.Cluster == "" {
			return
		}
		major := strconv.Itoa(p.Version.Major())
		switch {
		case p.Path != "" && p.Named != "" && p.Version > 0 && major != p.Cluster:
			c.Found("PG_VERSION = {cluster}; {path} is PostgreSQL {version} (named by {named}).",
				"cluster", p.Cluster, "path", p.Path, "named", p.Named, "version", p.Version)
		case p.Path == "" && len(p.Others) > 0:
			c.FoundAs(check.Warning, "PG_VERSION = {cluster}; no program of that version was found, only {others}.",
				"cluster", p.Cluster, "others", say.Names(p.Others, 0))
		}
	},
}
