package configuration

import "github.com/pgfettle/pgfettle/internal/judge/check"

// StringsNonstandard is an info where escape_string_warning is off too: that pair
// is what 1C asks for and its profile plans, so whoever set it meant it. It speaks
// for both parameters: next_major_breaks leaves them to it.
var StringsNonstandard = check.Check{
	ID:       "strings_nonstandard",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Backslashes in strings are escapes",
	To:       18,
	Why: "With standard_conforming_strings = off the same literal means something else than on every other server: " +
		"a driver or a library that " +
		"quotes by the standard leaves a door open to SQL injection. Version 19 has no such switch any more and " +
		"refuses to start with the line.",
	Do: "ALTER SYSTEM SET standard_conforming_strings = on; SELECT pg_reload_conf(); after the application was " +
		"tried with it; strings with " +
		"escapes are written E'…'. Old versions of 1C:Enterprise ask for off: set it for their role (ALTER ROLE … " +
		"SET " +
		"standard_conforming_strings = off), and plan to have it gone before 19.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET standard_conforming_strings = on;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config", "postgrespro-1c", "its-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("standard_conforming_strings"); ok && v == "off" {
			sev, with := check.Notice, ""
			if warns, ok := set.Bool("escape_string_warning"); ok && !warns {
				sev, with = check.Info, ", with escape_string_warning = off, as 1C:Enterprise asks for"
			}
			c.FoundAs(sev, "standard_conforming_strings = off for the whole server{with}; 19 refuses it.", "with", with)
		}
	},
}
