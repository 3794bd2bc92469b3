package configuration

import (
	"sort"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// PendingRestart is a notice: waiting for a maintenance window is normal, forgetting
// it is not. The server also marks settings that the command line overrides; a restart
// does not change those, unless a manager such as Patroni writes both.
var PendingRestart = check.Check{
	ID:       "pending_restart",
	Area:     check.Config,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "Settings pending restart",
	Why: "The configuration files and the running server differ, which misleads anyone who reads the files. " +
		"The change takes effect at an unplanned restart, such as the recovery after a crash of the host. The " +
		"new value may even prevent that start.",
	Do: "Restart the server in a maintenance window. Or undo the change: run ALTER SYSTEM RESET NAME; or edit " +
		"the file that pg_file_settings names, and reload. Before a restart, postgres -C shared_memory_size -D " +
		"DIR with a copy of the configuration shows whether the values fit together (15 and later).",
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
		list := say.List{Most: 8}
		for _, name := range names {
			text := say.Template("{name} (now {now})")
			v, ok := next[name]
			if ok {
				text = "{name} ({now} → {next})"
			}
			list.Items = append(list.Items, say.M(text, "name", name, "now", set[name].Show(), "next", v))
		}
		c.That(check.Notice, say.M(c.Remedy()), say.N(len(names), "{n} setting: {names}.", "{n} settings: {names}.",
			"names", list))
	},
}

// written returns the value of each setting in the configuration files: the last
// place wins. It is empty if they could not be read.
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
