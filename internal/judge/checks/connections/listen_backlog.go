package connections

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// ListenBacklog is information: it matters where many clients connect at once.
var ListenBacklog = check.Check{
	ID:       "listen_backlog",
	Area:     check.Connections,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Few connections may wait to be taken",
	Why: "Between the moment a client connects and the moment the postmaster takes it, the connection waits in the " +
		"kernel's queue. net.core.somaxconn bounds that queue whatever the server asks for; where it is full, " +
		"clients " +
		"wait a second and more for a repeated SYN, or fail. It happens when an application server starts or a " +
		"pooler reconnects.",
	Do: "Write net.core.somaxconn = 4096, the default since kernel 5.4, into /etc/sysctl.d/60-postgresql.conf, run " +
		"sysctl --system and restart the server, which asks once. nstat -az TcpExtListenOverflows counts what was " +
		"lost.",
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
			c.Found("net.core.somaxconn = {n}, with max_connections = {max}.", "n", strconv.FormatInt(n, 10), "max",
				strconv.FormatInt(max, 10))
		}
	},
}
