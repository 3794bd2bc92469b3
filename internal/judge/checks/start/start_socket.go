package start

import "github.com/pgfettle/pgfettle/internal/judge/check"

// StartSocket is about the sockets of unix_socket_directories; a server without one
// of them does not start, even where the others could be made.
var StartSocket = check.Check{
	ID:       "start_socket",
	Area:     check.Startup,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "Unix socket cannot be created",
	Why: "Before it makes its socket, the server makes a lock file beside it. If the directory does not exist (/run " +
		"is empty after each boot), if the account may not write there, " +
		"or if a live process holds the lock file, the server stops with \"could not create lock file\" or \"lock " +
		"file already exists\".",
	Do: "1. Create a missing directory for the account of the server. Below /run let systemd do it at each boot: " +
		"RuntimeDirectory=postgresql in the unit, or a line in /etc/tmpfiles.d.\n" +
		"2. If a server holds the lock file, give one of the two another port or another directory in " +
		"unix_socket_directories.\n" +
		"3. Remove a lock file only when the process that it names is no server.",
	Sources: []string{"pg-config-connection", "pg-server-start"},
	Judge: func(c *check.Case) {
		if !c.Stopped() {
			return
		}
		s, ok := check.Need(c, c.Instance.Start.Sockets)
		if !ok {
			return
		}
		var told []string
		for _, u := range s.Unix {
			switch {
			case u.Fault != "":
				told = append(told, u.Folder+": "+u.Fault)
			case u.PID > 0:
				told = append(told, u.Lock+" is held by "+check.ProcessName(u.Program, u.PID))
			case u.Closed:
				told = append(told, u.Lock+" belongs to another account")
			}
		}
		if len(told) > 0 {
			c.Found("{places}.", "places", check.Capitalize(check.Join(told, "; ", 5)))
		}
	},
}
