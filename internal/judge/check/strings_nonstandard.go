package check

// StringsNonstandard leaves escape_string_warning alone: it only writes to the log.
var StringsNonstandard = Check{
	ID:       "strings_nonstandard",
	Area:     Config,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "Backslashes in strings are escapes",
	To:       18,
	Why: "With standard_conforming_strings = off the same literal means something else than on every other server: a driver or a library that " +
		"quotes by the standard leaves a door open to SQL injection. Version 19 has no such switch any more and refuses to start with the line.",
	Do: "ALTER SYSTEM SET standard_conforming_strings = on; SELECT pg_reload_conf(); after the application was tried with it; strings with " +
		"escapes are written E'…'. Old versions of 1C:Enterprise ask for off: set it for their role (ALTER ROLE … SET " +
		"standard_conforming_strings = off), and plan to have it gone before 19.",
	Sources: []string{"pg-config", "postgrespro-1c", "its-1c"},
	Judge: func(c *Case) {
		set, ok := c.settings()
		if !ok {
			return
		}
		if v, ok := set.Text("standard_conforming_strings"); ok && v == "off" {
			c.Found("standard_conforming_strings = off for the whole server.")
		}
	},
}
