package connections

import "github.com/pgfettle/pgfettle/internal/judge/check"

const (
	// churnNotice: a new session is a fork, an authentication and empty catalog
	// caches, some milliseconds of CPU time before the first query. Ten per second
	// all day long come from a program that could keep its connections.
	churnNotice = 10
	// churnWarning per second take a large part of one CPU.
	churnWarning = 100
)

// ConnectionChurn uses the sessions that were counted since the statistics were reset
// (14+), not the age of the present ones: very short ones are not among them.
var ConnectionChurn = check.Check{
	ID:       "connection_churn",
	Area:     check.Connections,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	From:     14,
	Title:    "High connection churn",
	Why: "Each connection forks a process, authenticates and fills its catalog caches before its first query. " +
		"With one connection per transaction, this takes two thirds of the capacity of a server. TLS and slow " +
		"authentication methods add to it.",
	Do: "Let the application keep its connections (pool in the driver, persistent connections), or use a " +
		"connection pooler such as PgBouncer in transaction mode. To find the role and the client host, set " +
		"log_connections = on for an hour and reload.",
	Sources: []string{"pg-monitoring", "pg-config-connection", "dalibo-j1"},
	Judge: func(c *check.Case) {
		dbs, ok := check.Need(c, c.Instance.Server.Databases)
		if !ok {
			return
		}
		var rate, most, transactions float64
		var worst string
		for _, d := range dbs {
			n, ok := d.Sessions.Get()
			secs, long := c.CountedFor(d)
			if !ok || !long {
				continue
			}
			r := float64(n) / secs
			rate += r
			if r > most {
				most, worst = r, d.Name
				transactions = float64(d.Commits+d.Rollbacks) / float64(n)
			}
		}
		if rate < churnNotice {
			return
		}
		sev := check.Notice
		if rate >= churnWarning {
			sev = check.Warning
		}
		c.FoundAs(sev,
			"New sessions per second: {rate} on average, {most} of them in database {db}; transactions per session "+
				"there: {xacts}.",
			"rate", int64(rate+0.5), "most", int64(most+0.5), "db", worst, "xacts", int64(transactions+0.5))
	},
}
