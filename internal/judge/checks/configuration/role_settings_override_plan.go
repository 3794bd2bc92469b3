package configuration

import (
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// plannedForSessions are the settings that a plan decides and that ALTER ROLE and
// ALTER DATABASE can override, in any version.
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

// RoleSettingsOverridePlan covers three things of different severity: durability
// lower than the server's, memory that does not fit, and values that make a plan
// ineffective. The last is the purpose of such settings for single roles, so it is
// reported for work_mem only if it does not fit, and as information for the rest.
var RoleSettingsOverridePlan = check.Check{
	ID:       "role_settings_override_plan",
	Area:     check.Config,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Role or database settings override the server",
	Why: "Settings of ALTER ROLE and ALTER DATABASE override the configuration files in every session of that " +
		"role or database, and postgresql.conf does not show them. A plan for the server has no effect there, " +
		"and the sum of work_mem does not include them. Reduced durability is meant for the jobs of one role, " +
		"not for a whole database.",
	Do: "List the settings with \\drds in psql. Remove those that are no longer needed with ALTER ROLE … RESET " +
		"NAME, ALTER DATABASE … RESET NAME, or ALTER ROLE … IN DATABASE … RESET NAME. Running sessions keep " +
		"the old value until they reconnect.",
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
		var lost []say.Message // values of a plan without an effect
		for _, r := range list {
			server, has := set[r.Name]
			switch {
			case !has || r.Value == "(hidden)":
			case lowersDurability(r, server):
				sev := check.Notice
				switch {
				case r.Name != "synchronous_commit":
					sev = check.Critical // damage is ignored, permanently
				case r.Role != "":
					sev = check.Info // the intended use
				}
				c.FoundAs(sev, "{who}: {name} = {value} (server: {server}).", "who", whose(r), "name", r.Name,
					"value", r.Value, "server", server.Show())
			case r.Name == "work_mem" && tooMuchWork(c, r, server):
			case r.Name == "work_mem" && r.Role != "":
			case plannedForSessions()[r.Name] && !sameValue(r.Value, server):
				lost = append(lost, say.M("{who}: {name} = {value} (server: {server})", "who", whose(r), "name", r.Name,
					"value", r.Value, "server", server.Show()))
			}
		}
		if len(lost) > 0 {
			c.Found("Server-wide values of a plan have no effect here: {overrides}.", "overrides",
				say.List{Items: lost, Sep: "; ", Most: 5})
		}
	},
}

// whose names the sessions that an override is for.
func whose(r pg.RoleSetting) say.Message {
	switch {
	case r.Role != "" && r.Database != "":
		return say.M("role {role} in database {database}", "role", r.Role, "database", r.Database)
	case r.Role != "":
		return say.M("role {role}", "role", r.Role)
	case r.Database != "":
		return say.M("database {database}", "database", r.Database)
	}
	return say.M("all roles")
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

// isOn and isOff accept the same spellings of a boolean as the server, including
// the short ones.
func isOn(v string) bool {
	return v == "on" || v == "1" || v != "" && (strings.HasPrefix("true", v) || strings.HasPrefix("yes", v))
}
func isOff(v string) bool {
	return v == "off" || v == "of" || v == "0" || v != "" && (strings.HasPrefix("false", v) ||
		strings.HasPrefix("no", v))
}

// sameValue reports whether an override has the value that the server has anyway.
func sameValue(v string, server pg.Setting) bool {
	if n, err := unit.ParseGUC(v, server.Unit); err == nil {
		m, err := unit.ParseGUC(server.Value, server.Unit)
		return err == nil && n == m
	}
	low := strings.ToLower(v)
	return low == strings.ToLower(server.Value) || isOn(low) && server.Value == "on" ||
		isOff(low) && server.Value == "off"
}

// fewSessions: of a role with more memory for large jobs, two will run at the same
// time sooner or later; more than that is unlikely.
const fewSessions = 2

// tooMuchWork reports a work_mem that does not fit in addition to everything else:
// for a role if not even two of its sessions fit, for a whole database if those that
// can be active at the same time do not fit.
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
	if left <= 0 { // shared_buffers or the number of connections fill the memory: other checks report that
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
		"{who}: work_mem = {value}. Active sessions: {sessions}, with a sort and a hash each; parallel workers: "+
			"{helping}. Together they can use {all}; available: {left} of {total}.",
		"who", whose(r), "value", r.Value, "sessions", sessions, "all", all, "helping", helping, "left", left,
		"total", total)
	return true
}

// sessionsOf returns how many sessions of a database can be active at the same time:
// those of the instance, or the database's own connection limit (0 allows only
// superusers).
func sessionsOf(c *check.Case, database string, active int) int {
	dbs, _ := c.Instance.Server.Databases.Get()
	for _, d := range dbs {
		if d.Name == database && d.ConnLimit > 0 {
			return min(active, int(d.ConnLimit))
		}
	}
	return active
}
