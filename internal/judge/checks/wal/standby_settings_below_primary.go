package wal

import (
	"fmt"
	"math"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StandbySettingsBelowPrimary compares what runs here, and what the files would
// bring at the next start, with what the control file has of the primary.
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
				// as "100" or 0x64, and no more is an integer of the server's
				if n, err := unit.ParseInteger(f.Value, ""); err == nil && n <= math.MaxInt32 {
					next[f.Name] = int64(n) // a later line counts, and an error is that it needs a restart
				}
			}
		}
		var told []string
		for _, p := range primary {
			now, ok := set.Int(p.Name)
			if !ok {
				c.Missing(known.Gap{Fact: p.Name, Reason: "the server did not show it"})
				continue
			}
			if now < p.Value {
				told = append(told, fmt.Sprintf("%s is %d, and the primary has %d", p.Name, now, p.Value))
			} else if n, ok := next[p.Name]; ok && n < p.Value {
				told = append(told,
					fmt.Sprintf("%s will be %d from the next start on, which fails, as the primary has %d", p.Name,
						n, p.Value))
			}
		}
		if len(told) > 0 {
			c.Found("{list}.", "list", check.Join(told, "; ", 5))
		}
	},
}
