package service

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// SystemdOomd: systemd-oomd kills by pressure and swap, long before the kernel
// would, and takes whole control groups.
var SystemdOomd = check.Check{
	ID:       "systemd_oomd",
	Area:     check.Service,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "systemd-oomd may kill the whole instance",
	Why: "systemd-oomd watches memory pressure and swap of the units that ask for it and kills a whole control " +
		"group at once, with SIGKILL: the postmaster and all of its backends, not the query that " +
		"needs the memory. It acts on pressure, which a database that reads much has at times while nothing is wrong.",
	Do: "Run systemctl edit for the unit, add [Service], ManagedOOMSwap=auto, ManagedOOMMemoryPressure=auto and " +
		"ManagedOOMPreference=omit, then systemctl daemon-reload. " +
		"oomctl shows which units are watched.",
	Commands: []check.Command{
		check.Conf("ManagedOOMSwap=auto"),
		check.Conf("ManagedOOMMemoryPressure=auto"),
		check.Conf("ManagedOOMPreference=omit"),
		check.Shell("systemctl daemon-reload"),
	},
	Sources: []string{"systemd-oomd"},
	Judge: func(c *check.Case) {
		u, ok := check.Need(c, c.Instance.Unit)
		if !ok || u.Properties["ManagedOOMPreference"] == "omit" {
			return
		}
		var kills []string
		for _, p := range []string{"ManagedOOMSwap", "ManagedOOMMemoryPressure"} {
			if u.Properties[p] == "kill" {
				kills = append(kills, p+"=kill")
			}
		}
		if len(kills) > 0 {
			c.Found("{unit} has {kills}.", "unit", u.Name, "kills", strings.Join(kills, " and "))
		}
	},
}
