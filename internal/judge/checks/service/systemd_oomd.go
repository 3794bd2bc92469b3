package service

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// SystemdOomd: systemd-oomd kills by pressure and swap, long before the kernel
// would, and always a whole cgroup.
var SystemdOomd = check.Check{
	ID:       "systemd_oomd",
	Area:     check.Service,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "systemd-oomd may kill the whole instance",
	Why: "systemd-oomd monitors memory pressure and swap of the units that enable it and kills a whole cgroup " +
		"at once with SIGKILL. That is the postmaster with all backends, not only the query that uses the " +
		"memory. It acts on pressure, which a read-heavy database can show while nothing is wrong.",
	Do: "1. Run: systemctl edit UNIT\n" +
		"2. Add under [Service]:\n" +
		"ManagedOOMSwap=auto\n" +
		"ManagedOOMMemoryPressure=auto\n" +
		"ManagedOOMPreference=omit\n" +
		"3. Run: systemctl daemon-reload\n" +
		"Verify: oomctl lists the monitored units.",
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
			c.Found("{unit} has {kills}.", "unit", u.Name, "kills", strings.Join(kills, ", "))
		}
	},
}
