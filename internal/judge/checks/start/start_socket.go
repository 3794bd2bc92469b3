package start

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// StartSocket is about the sockets of unix_socket_directories; a server without one
// of them does not start, even if the others can be created.
var StartSocket = check.Check{
	ID:       "start_socket",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Unix socket cannot be created",
	Why: "Before the server creates a Unix socket, it creates a lock file in the same directory. It stops with " +
		"\"could not create lock file\" if the directory does not exist (/run is empty after each boot) or is " +
		"not writable. It stops with \"lock file already exists\" if a live process holds the lock file.",
	Do: "1. Create a missing directory for the user of the server. Below /run let systemd create it at each " +
		"boot: RuntimeDirectory=postgresql in the unit, or a line in /etc/tmpfiles.d.\n" +
		"2. If a server holds the lock file, set another port or another directory in unix_socket_directories " +
		"for one of the two.\n" +
		"3. Remove a lock file only if its process is not a server.",
	Sources: []string{"pg-config-connection", "pg-server-start"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		s, ok := check.Need(c, c.Instance.Start.Sockets)
		if !ok {
			return
		}
		var told []say.Message
		for _, u := range s.Unix {
			switch {
			case u.Fault != "":
				told = append(told, say.M("{directory}: {fault}", "directory", u.Folder, "fault", u.Fault))
			case u.PID > 0:
				told = append(told, say.M("{lock} is held by {process}", "lock", u.Lock, "process",
					check.Process(u.Program, u.PID)))
			case u.Closed:
				told = append(told, say.M("{lock} is owned by another user", "lock", u.Lock))
			}
		}
		if len(told) > 0 {
			c.Found("{places}.", "places", say.List{Items: told, Sep: "; ", Most: 5})
		}
	},
}
