package configuration

import (
	"fmt"
	"sort"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PendingRestart is a notice: waiting for a window is normal, forgetting it is
// not. The server also marks what the command line overrides and the file says
// otherwise; a restart does not change that, unless a manager such as Patroni
// writes both.
var PendingRestart = check.Check{
	ID:       "pending_restart",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Settings wait for a restart",
	Why: "The files say one thing and the server does another. Who reads the configuration is misled, and the " +
		"change comes into force at a restart " +
		"that nobody planned, such as the recovery after a crash of the host, perhaps with a value that keeps the " +
		"server from starting.",
	Do: "Restart the server in a maintenance window, or take the change back (ALTER SYSTEM RESET name, or edit the " +
		"file that pg_file_settings names, and " +
		"reload). Before a restart, postgres -C shared_memory_size -D with a copy of the configuration shows " +
		"whether the values fit together (15+).",
	Sources: []string{"pg-config", "pg-system-views"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		manager, _ := c.Instance.Manager.Get()
		managed := manager != ""
		var names []string
		for name, s := range set {
			if s.PendingRestart && (managed || s.Source != "command line" && s.Source != "environment variable") {
				names = append(names, name)
			}
		}
		if len(names) == 0 {
			return
		}
		sort.Strings(names)
		next := written(c.Instance.Server)
		for i, name := range names {
			if v, ok := next[name]; ok {
				names[i] = fmt.Sprintf("%s (%s → %s)", name, set[name].Show(), v)
			} else {
				names[i] = fmt.Sprintf("%s (now %s)", name, set[name].Show())
			}
		}
		c.Found("{n} waiting: {names}.", "n", len(names), "names", check.Join(names, ", ", 8))
	},
}

// written returns what the configuration files say of each setting: the last
// place wins. It is empty where they could not be seen.
func written(s pg.Server) map[string]string {
	list, _ := s.FileSettings.Get()
	out := make(map[string]string, len(list))
	last := map[string]int64{}
	for _, f := range list {
		if f.Name != "" && f.Seq >= last[f.Name] {
			out[f.Name], last[f.Name] = f.Value, f.Seq
		}
	}
	return out
}
