package configuration

import "github.com/pgfettle/pgfettle/internal/judge/check"

// PreloadUnknown looks at the files too: what they name is what the next start will load.
var PreloadUnknown = check.Check{
	ID:       "preload_unknown",
	Area:     check.Config,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "A library to be loaded is not installed",
	Why: "The server loads these libraries when it starts, or when a session begins, and refuses when one is not " +
		"there: the next start fails, or " +
		"every log-in does. Lists copied from another build name such libraries: online_analyze and plantuner, for " +
		"1C, exist in the builds of 1C " +
		"and Postgres Pro only. A library also vanishes when a new major version is installed without its packages.",
	Do: "Install the package that holds the library for this major version, or take its name out: ALTER SYSTEM SET " +
		"shared_preload_libraries = …; " +
		"and look at SELECT name, setting, sourcefile FROM pg_file_settings WHERE name LIKE '%preload%'; before you " +
		"restart.",
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
			c.Found("Not installed: {names}.", "names", check.Join(next, ", ", 6))
		}
		if len(running) > 0 {
			c.FoundAs(check.Warning, "Loaded when the server started and no longer installed: {names}.", "names",
				check.Join(running, ", ", 6))
		}
	},
}
