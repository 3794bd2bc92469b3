package connections

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ListenBacklog is information: it matters if many clients connect at once.
var ListenBacklog = check.Check{
	ID:       "listen_backlog",
	Area:     check.Connections,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Listen backlog is too small (net.core.somaxconn)",
	Why: "New connections wait in a kernel queue until the postmaster accepts them. net.core.somaxconn limits " +
		"the length of this queue, whatever the server requests. If the queue is full, clients wait a second " +
		"or more for a repeated SYN, or their connection fails. This happens when an application server starts " +
		"or a pooler reconnects.",
	Do: "Write net.core.somaxconn = 4096, the default since kernel 5.4, to /etc/sysctl.d/60-postgresql.conf " +
		"and run sysctl --system as root. Restart the server, because it requests the queue length only at " +
		"startup. Verify: the counter of nstat -az TcpExtListenOverflows no longer grows.",
	Commands: []check.Command{
		check.Conf("net.core.somaxconn = 4096"),
		check.Shell("sysctl --system"),
		check.Shell("nstat -az TcpExtListenOverflows"),
	},
	Sources: []string{"linux-net-sysctl", "pg-config-connection"},
	Judge: func(c *check.Case) {
		n, ok := check.Need(c, c.Snapshot.Host.Sysctls.Int("net.core.somaxconn"))
		if !ok {
			return
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if max, ok := set.Int("max_connections"); ok && n < max {
			c.Found("net.core.somaxconn = {n}, max_connections = {max}.", "n", strconv.FormatInt(n, 10), "max",
				strconv.FormatInt(max, 10))
		}
	},
}
