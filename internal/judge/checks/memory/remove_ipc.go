package memory

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// RemoveIPC does not know which users linger (loginctl enable-linger): the objects of
// such a user stay as well.
var RemoveIPC = check.Check{
	ID:       "remove_ipc",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "RemoveIPC=yes: logout removes shared memory",
	Why: "With RemoveIPC=yes systemd-logind removes shared memory and semaphores of a regular user when the " +
		"last session of that user ends; system users are exempt. Parallel queries of the server then fail " +
		"with \"could not open shared memory segment \"/PostgreSQL.N\"\". The log shows \"could not remove " +
		"shared memory segment\". One su or ssh login of that user is enough.",
	Do: "1. Write two lines into /etc/systemd/logind.conf.d/50-postgresql.conf:\n" +
		"[Login]\n" +
		"RemoveIPC=no\n" +
		"2. Run: systemctl restart systemd-logind\n" +
		"Or run the server as a system user, as packages do (useradd --system).",
	Commands: []check.Command{
		check.Conf("RemoveIPC=no"),
		check.Shell("systemctl restart systemd-logind"),
	},
	Sources: []string{"pg-kernel-resources", "systemd-logind"},
	Judge: func(c *check.Case) {
		h := c.Snapshot.Host
		first, ok := check.Need(c, h.Init)
		if !ok || !first.Systemd {
			return
		}
		places, ok := check.Need(c, c.Instance.Places)
		if !ok {
			return
		}
		owner := slices.IndexFunc(places, func(p snapshot.Place) bool { return p.Role == snapshot.DataPlace })
		if owner < 0 {
			return
		}
		most, ok := h.SysUIDMax.Get()
		if !ok {
			if h.SysUIDMax.State() != known.Absent {
				check.Need(c, h.SysUIDMax)
				return
			}
			most = 999 // the default of systemd and shadow
		}
		uid := places[owner].UID
		if uid <= most {
			return
		}
		conf, ok := check.Need(c, h.Logind)
		if !ok {
			return
		}
		switch conf.RemoveIPC {
		case "yes":
			c.Found("{file}: RemoveIPC=yes. The server runs with UID {uid}; UIDs of system users end at {most}.",
				"file", conf.File, "uid", uid, "most", most)
		case "":
			if os, ok := check.Need(c, h.OS); ok && !keepsIPC(os) {
				c.Found("RemoveIPC is not set, and its default is yes. The server runs with UID {uid}; UIDs of system "+
					"users end at {most}.", "uid", uid, "most", most)
			}
		}
	},
}

// keepsIPC reports whether a distribution builds systemd with RemoveIPC=no: Red Hat Enterprise Linux and what is made
// from it.
func keepsIPC(os host.OS) bool {
	return slices.Contains([]string{"rhel", "centos", "ol"}, os.ID) || slices.Contains(strings.Fields(os.Like), "rhel")
}
