package version

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ExtensionUpdates compares what is installed with what CREATE EXTENSION would
// install, in the database connected to.
var ExtensionUpdates = check.Check{
	ID:       "extension_updates",
	Area:     check.Version,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Extensions need ALTER EXTENSION … UPDATE",
	Why: "The library of an extension comes with its package and was updated with it. Its functions and views " +
		"in the database stay at the old version until ALTER EXTENSION … UPDATE runs. New columns of its views " +
		"are missing, and bugs in its SQL that minor releases fix remain.",
	Do: "Read the release notes of the extension. Then run ALTER EXTENSION EXTENSION_NAME UPDATE; in each " +
		"database that has it.",
	Sources: []string{"pg-alter-extension"},
	Judge: func(c *check.Case) {
		list, ok := check.Need(c, c.Instance.Server.Extensions)
		if !ok {
			return
		}
		old := say.List{Most: 5}
		for _, e := range list {
			if e.Default != "" && e.Default != e.Version {
				old.Items = append(old.Items, say.M("{extension} {version} (available: {default})", "extension", e.Name,
					"version", e.Version, "default", e.Default))
			}
		}
		if len(old.Items) == 0 {
			return
		}
		if db, ok := c.Database(); ok {
			c.Found("In database {db}: {list}.", "db", db, "list", old)
		} else {
			c.Found("In the connected database: {list}.", "list", old)
		}
	},
}
