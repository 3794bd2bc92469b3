package configuration

import "github.com/pgfettle/pgfettle/internal/judge/check"

// StringsNonstandard is an info if escape_string_warning is off too: 1C requires that
// pair and its profile plans it, so it is intended. It reports both parameters:
// next_major_breaks skips them.
var StringsNonstandard = check.Check{
	ID:       "strings_nonstandard",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "standard_conforming_strings is off",
	To:       18,
	Why: "With standard_conforming_strings = off, backslashes in string literals are escapes, so a literal " +
		"differs in meaning from every other server. A driver or a library that quotes by the SQL standard " +
		"then allows SQL injection. PostgreSQL 19 does not have the value off: it does not start with this " +
		"line.",
	Do: "Test the application with the standard setting. Then change it (reload): ALTER SYSTEM SET " +
		"standard_conforming_strings = on; SELECT pg_reload_conf(); Write strings with escapes as E'…'. Old " +
		"versions of 1C:Enterprise need off: set it only for their role (ALTER ROLE ROLE_NAME SET " +
		"standard_conforming_strings = off), and plan to remove it before the upgrade to 19.",
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
			if warns, ok := set.Bool("escape_string_warning"); ok && !warns {
				c.FoundAs(check.Info, "standard_conforming_strings = off and escape_string_warning = off for the "+
					"whole server, as 1C:Enterprise requires; PostgreSQL 19 accepts neither.")
				return
			}
			c.Found("standard_conforming_strings = off for the whole server; PostgreSQL 19 does not accept it.")
		}
	},
}
