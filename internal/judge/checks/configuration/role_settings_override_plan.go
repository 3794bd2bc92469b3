package configuration

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// plannedForSessions are the settings that a plan decides and that ALTER ROLE and
// ALTER DATABASE can take out of its hands, in any version.
var plannedForSessions = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, r := range rules.All() {
		name, ok := strings.CutPrefix(string(r.Address), "pg:")
		if !ok {
			continue
		}
		for _, major := range params.Majors() {
			if p, ok := params.Lookup(major, name); ok && (p.Context == "user" || p.Context == "superuser") {
				out[name] = true
			}
		}
	}
	return out
})

// RoleSettingsOverridePlan weighs three things of different gravity: durability
// that is lower there than the server's, memory that does not fit, and values
// with which a plan has no effect there. For single roles the last is what such
// settings are for, so it is told of work_mem only where it does not fit, and
// of the rest as information.
var RoleSettingsOverridePlan = check.Check{
	ID:       "role_settings_override_plan",
	Area:     check.Config,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Roles or databases have settings of their own",
	Why: "What ALTER ROLE and ALTER DATABASE set comes before the configuration files for every session of that " +
		"role or database, and nobody sees it in postgresql.conf. A plan for the server changes nothing " +
		"there, the sum of work_mem does not know it, and a low durability is meant for the jobs of one role rather " +
		"than for a database.",
	Do: "List them with \\drds in psql. Take back what is not meant any more: ALTER ROLE … RESET name, ALTER " +
		"DATABASE … RESET name, ALTER ROLE … IN DATABASE … RESET name; sessions that run keep the old value until " +
		"they connect anew.",
	Sources: []string{"pg-config", "pg-config-resource", "pg-config-wal"},
	Judge: func(c *check.Case) {
		list, ok := check.Need(c, c.Instance.Server.RoleSettings)
		if !ok {
			return
		}
		set, ok := c.Settings()
		if !ok {
			return
		}
		var lost []string // values of a plan without an effect
		for _, r := range list {
			server, has := set[r.Name]
			switch {
			case !has || r.Value == "(hidden)":
			case lowersDurability(r, server):
				sev := check.Notice
				switch {
				case r.Name != "synchronous_commit":
					sev = check.Critical // damage is passed over, for good
				case r.Role != "":
					sev = check.Info // the way that is meant
				}
				c.FoundAs(sev, "{who}: {name} = {value}, and the server has {server}.", "who", whose(r), "name", r.Name,
					"value", r.Value, "server", server.Show())
			case r.Name == "work_mem" && tooMuchWork(c, r, server):
			case r.Name == "work_mem" && r.Role != "":
			case plannedForSessions()[r.Name] && !sameValue(r.Value, server):
				lost = append(lost, fmt.Sprintf("%s: %s = %s (server: %s)", whose(r), r.Name, r.Value, server.Show()))
			}
		}
		if len(lost) > 0 {
			c.Found("What a plan decides for the server has no effect here: {overrides}.", "overrides",
				check.Join(lost, "; ", 5))
		}
	},
}

// whose names the sessions that an override is for.
func whose(r pg.RoleSetting) string {
	switch {
	case r.Role != "" && r.Database != "":
		return "role " + r.Role + " in database " + r.Database
	case r.Role != "":
		return "role " + r.Role
	case r.Database != "":
		return "database " + r.Database
	}
	return "all roles"
}

// lowersDurability knows the three settings of durability that a session can
// have for itself; fsync and full_page_writes are the server's alone.
func lowersDurability(r pg.RoleSetting, server pg.Setting) bool {
	v := strings.ToLower(r.Value)
	switch r.Name {
	case "synchronous_commit":
		return isOff(v) && server.Value != "off"
	case "zero_damaged_pages", "ignore_checksum_failure":
		return isOn(v) && server.Value != "on"
	}
	return false
}

// isOn and isOff know the spellings of a boolean that the server takes, the
// short ones included.
func isOn(v string) bool {
	return v == "on" || v == "1" || v != "" && (strings.HasPrefix("true", v) || strings.HasPrefix("yes", v))
}
func isOff(v string) bool {
	return v == "off" || v == "of" || v == "0" || v != "" && (strings.HasPrefix("false", v) ||
		strings.HasPrefix("no", v))
}

// sameValue says whether an override has the value that the server has anyway.
func sameValue(v string, server pg.Setting) bool {
	if n, err := unit.ParseGUC(v, server.Unit); err == nil {
		m, err := unit.ParseGUC(server.Value, server.Unit)
		return err == nil && n == m
	}
	low := strings.ToLower(v)
	return low == strings.ToLower(server.Value) || isOn(low) && server.Value == "on" ||
		isOff(low) && server.Value == "off"
}

// fewSessions: of a role that is given more for large jobs two may run at once
// sooner or later; the next one waits for the first to end, or is the accident.
const fewSessions = 2

// tooMuchWork reports a work_mem that does not fit beside everything else: for
// a role where not even two of its sessions do, for a whole database where those
// do not that may be at work at once.
func tooMuchWork(c *check.Case, r pg.RoleSetting, server pg.Setting) bool {
	kb, err := unit.ParseGUC(r.Value, server.Unit)
	now, err2 := unit.ParseGUC(server.Value, server.Unit)
	if err != nil || err2 != nil || kb <= now {
		return false
	}
	limit, limited := c.Snapshot.MemoryLimit(c.Instance)
	total, ok := limit.Get()
	m, ok2 := memory.AtPeak(c.Snapshot, c.Instance, memory.Mixed).Get()
	if !ok || !ok2 { // the checks of the server's own work_mem note what is missing
		return false
	}
	reserve := memory.ReserveOf(total)
	if limited {
		reserve = memory.ReserveOfGroup(total)
	}
	p := m.Parts()
	left := total - reserve - (p.Sum() - p.Work)
	if left <= 0 { // shared_buffers or the number of connections fill the memory, which others tell
		return false
	}
	helpers, _ := c.Instance.Server.Settings.Get()
	gather, _ := helpers.Int("max_parallel_workers_per_gather")
	sessions := fewSessions
	if r.Role == "" {
		sessions = max(sessionsOf(c, r.Database, m.Active), 1)
	}
	helping := min(sessions*int(max(gather, 0)), m.Parallel) // the workers are of all sessions together
	all := (unit.Bytes(kb) * unit.KB).Scale(m.Allowances() * float64(sessions+helping))
	if all <= left {
		return false
	}
	c.FoundAs(check.Warning,
		"{who}: work_mem = {value}. {sessions} sessions with a sort and a hash each may take {all} together with "+
			"their {helping} parallel workers, and {left} of {total} is left beside everything else.",
		"who", whose(r), "value", r.Value, "sessions", sessions, "all", all, "helping", helping, "left", left,
		"total", total)
	return true
}

// sessionsOf returns how many sessions of a database may be at work at once:
// those of the instance, or the database's own limit of
// connections where it has one (0 lets nobody in but superusers).
func sessionsOf(c *check.Case, database string, active int) int {
	dbs, _ := c.Instance.Server.Databases.Get()
	for _, d := range dbs {
		if d.Name == database && d.ConnLimit > 0 {
			return min(active, int(d.ConnLimit))
		}
	}
	return active
}
