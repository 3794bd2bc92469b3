package version

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ExtensionUpdates compares what is installed with what CREATE EXTENSION would
// install, in the database connected to.
var ExtensionUpdates = check.Check{
	ID:       "extension_updates",
	Area:     check.Version,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Extensions have the objects of an older version",
	Why: "The library of an extension comes with the package and is the new one since the last upgrade; its " +
		"functions and views in the database stay as they were until somebody updates " +
		"them. New columns of its views are missing, and faults in its SQL, which some minor releases mend, remain.",
	Do:      "Read the notes of the extension, then ALTER EXTENSION name UPDATE; in each database that has it.",
	Sources: []string{"pg-alter-extension"},
	Judge: func(c *check.Case) {
		list, ok := check.Need(c, c.Instance.Server.Extensions)
		if !ok {
			return
		}
		var told []string
		for _, e := range list {
			if e.Default != "" && e.Default != e.Version {
				told = append(told, fmt.Sprintf("%s %s (%s is installed on the host)", e.Name, e.Version, e.Default))
			}
		}
		if len(told) > 0 {
			c.Found("In database {db}: {list}.", "db", c.Database(), "list", check.Join(told, ", ", 5))
		}
	},
}
