package wal

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StandbySettingsBelowPrimary compares the running settings, and those of the files
// for the next start, with the primary's settings in the control file.
var StandbySettingsBelowPrimary = check.Check{
	ID:       "standby_settings_below_primary",
	Area:     check.WAL,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Standby settings are lower than on the primary",
	Why: "A hot standby must have room for as many transactions and locks as its primary, and does not start with " +
		"less. If the primary is raised while the standby runs, replay pauses in PostgreSQL 14 and later, and the " +
		"standby shuts down in 13. While replay is paused, WAL accumulates on the standby, and it cannot be " +
		"promoted.",
	Do: "1. Raise the settings named here to at least those of the primary, and restart. Paused replay continues " +
		"only after that.\n" +
		"2. In future, raise them on standbys first, and lower them on the primary first.",
	Sources: []string{"pg-hot-standby"},
	Judge: func(c *check.Case) {
		if standby, ok := check.Need(c, c.Instance.Server.Recovery); !ok || !standby {
			return
		}
		primary, ok := check.Need(c, c.Instance.Server.Controlled)
		if !ok {
			return
		}
		set, ok := c.Settings()
		if !ok {
			return
		}
		if hot, ok := set.Text("hot_standby"); ok && hot == "off" {
			return
		}
		next := map[string]int64{}
		if files, ok := check.Need(c, c.Instance.Server.FileSettings); ok {
			for _, f := range files {
				// the server also accepts "100" and 0x64, up to this limit
				if n, err := unit.ParseInteger(f.Value, ""); err == nil && n <= math.MaxInt32 {
					next[f.Name] = int64(n) // a later line counts; its error is that it needs a restart
				}
			}
		}
		told := say.List{Sep: "; ", Most: 5}
		for _, p := range primary {
			now, ok := set.Int(p.Name)
			if !ok {
				c.Missing(known.Gap{Fact: p.Name, Reason: "not shown by the server"})
				continue
			}
			if now < p.Value {
				told.Items = append(told.Items, say.M("{name} = {n} ({primary} on the primary)", "name", p.Name,
					"n", now, "primary", p.Value))
			} else if n, ok := next[p.Name]; ok && n < p.Value {
				told.Items = append(told.Items, say.M(
					"{name} = {n} at the next start, which will fail ({primary} on the primary)", "name", p.Name, "n",
					n, "primary", p.Value))
			}
		}
		if len(told.Items) > 0 {
			c.Found("{list}.", "list", told)
		}
	},
}
