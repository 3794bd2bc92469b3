package configuration

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PreloadUnknown also reads the files: the next start will load what they name.
var PreloadUnknown = check.Check{
	ID:       "preload_unknown",
	Area:     check.Config,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Preload library is not installed",
	Why: "The server loads these libraries when it starts, or when a session begins. If one is missing, the " +
		"next start fails, or every login does. Lists copied from another build often name such libraries: " +
		"online_analyze and plantuner, for 1C, exist only in the builds of 1C and Postgres Pro. A library also " +
		"disappears when a new major version is installed without its extension packages.",
	Do: "Install the package that contains the library for this major version. Or remove its name from the " +
		"list: ALTER SYSTEM SET shared_preload_libraries = …; Before you restart, check the files: SELECT " +
		"name, setting, sourcefile FROM pg_file_settings WHERE name LIKE '%preload%';",
	Sources: []string{"pg-config-client", "postgrespro-1c"},
	Judge: func(c *check.Case) {
		libs, ok := check.Need(c, c.Instance.Server.Libraries)
		if !ok {
			return
		}
		var next, running []string
		for _, l := range libs {
			installed, ok := check.Need(c, l.Installed)
			switch {
			case !ok || installed:
			case l.InFiles || l.Parameter != "shared_preload_libraries":
				next = append(next, l.Name+" ("+l.Parameter+")")
			default:
				running = append(running, l.Name)
			}
		}
		if len(next) > 0 {
			c.Found("Not installed: {names}.", "names", say.Names(next, 6))
		}
		if len(running) > 0 {
			c.FoundAs(check.Warning, "Loaded at server start, but no longer installed: {names}.", "names",
				say.Names(running, 6))
		}
	},
}
