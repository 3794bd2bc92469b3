package durability

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PageDamageIgnored is one check for two developer options: both turn an error
// into lasting damage, and both are meant for one session that rescues data,
// never for a server.
var PageDamageIgnored = check.Check{
	ID:       "page_damage_ignored",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "zero_damaged_pages or ignore_checksum_failure is on",
	Why: "With zero_damaged_pages, a page that fails verification is replaced by zeros in memory. Its rows vanish, " +
		"permanently once the page is written back. With ignore_checksum_failure, a page with a wrong checksum is " +
		"used, so wrong data spreads to query results, backups and standbys. Both settings are for rescuing data " +
		"from a damaged cluster, in one session.",
	Do: "1. Reset them (reload): ALTER SYSTEM RESET zero_damaged_pages; ALTER SYSTEM RESET " +
		"ignore_checksum_failure; SELECT pg_reload_conf();\n" +
		"2. Search the server log for \"invalid page\" and \"page verification failed\".\n" +
		"3. Check the cluster (PostgreSQL 14 and later): pg_amcheck --all\n" +
		"4. If pages are damaged, restore from a backup.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET zero_damaged_pages;"),
		check.SQL("ALTER SYSTEM RESET ignore_checksum_failure;"),
		check.SQL("SELECT pg_reload_conf();"),
		check.Shell("pg_amcheck --all"),
	},
	Sources: []string{"pg-config-developer", "pg-checksums"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		var on []string
		for _, name := range []string{"zero_damaged_pages", "ignore_checksum_failure"} {
			if v, _ := set.Text(name); v == "on" {
				on = append(on, name+" = on")
			}
		}
		if len(on) > 0 {
			c.Found("Server-wide: {settings}.", "settings", say.Names(on, 0))
		}
	},
}
