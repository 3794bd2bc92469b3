package service

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ProcessLimit: a failed fork is reported to the client as "could not fork new process
// for connection", and in the server log.
var ProcessLimit = check.Check{
	ID:       "process_limit",
	Area:     check.Service,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Process limit is below max_connections (LimitNPROC)",
	Why: "Each connection and each worker is a process of the user that runs the server. When that user " +
		"reaches its process limit, new connections fail with \"could not fork new process\", long before " +
		"max_connections is reached. Parallel workers and autovacuum workers cannot start either.",
	Do: "1. Run: systemctl edit UNIT\n" +
		"2. Add under [Service]:\n" +
		"LimitNPROC=infinity\n" +
		"TasksMax=infinity\n" +
		"3. Run: systemctl daemon-reload\n" +
		"4. Restart the server.\n" +
		"If the server is started without systemd, raise nproc of its user in /etc/security/limits.d.",
	Commands: []check.Command{
		check.Conf("LimitNPROC=infinity"),
		check.Conf("TasksMax=infinity"),
		check.Shell("systemctl daemon-reload"),
	},
	Sources: []string{"pg-kernel-resources"},
	Judge: func(c *check.Case) {
		l, ok := check.Need(c, c.Instance.Limits)
		if !ok {
			return
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok || l.NProc < 0 {
			return
		}
		want := int64(0)
		for _, name := range []string{"max_connections", "max_worker_processes", "autovacuum_max_workers",
			"max_wal_senders"} {
			n, ok := set.Int(name)
			if !ok {
				return
			}
			want += n
		}
		if l.NProc < want {
			c.Found(
				"max_connections, workers and WAL senders need up to {want} processes; the process limit is {limit}.",
				"want", strconv.FormatInt(want, 10), "limit", strconv.FormatInt(l.NProc, 10))
		}
	},
}
