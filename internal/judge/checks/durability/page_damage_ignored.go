package durability

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PageDamageIgnored is one check for two developer options: both turn a
// reported damage into a lasting one, and both are meant for one session of a
// rescue and never for a server.
var PageDamageIgnored = check.Check{
	ID:       "page_damage_ignored",
	Area:     check.Durability,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Damaged pages are passed over instead of reported",
	Why: "With zero_damaged_pages a page with a broken header is filled with zeros in memory and all its rows " +
		"vanish, for good as soon as " +
		"the page is written back. With ignore_checksum_failure a page whose checksum is wrong is used all the " +
		"same, so wrong data " +
		"spreads to query results, backups and standbys. Both are for rescuing what is left of a broken cluster, in " +
		"one session.",
	Do: "Run ALTER SYSTEM RESET for the setting, SELECT pg_reload_conf();, look into the server log for \"invalid " +
		"page\" and " +
		"\"page verification failed\", and check the cluster with pg_amcheck. If pages are damaged, restore from a " +
		"backup.",
	Commands: []check.Command{
		check.SQL("SELECT pg_reload_conf();"),
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
			c.Found("{settings} for the whole server.", "settings", strings.Join(on, " and "))
		}
	},
}
