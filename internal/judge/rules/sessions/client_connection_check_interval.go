package sessions

import (
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ClientConnectionCheckInterval = rule.Rule{
	Address: knob.PG("client_connection_check_interval"),
	Title:   "Interval of checks for lost clients during queries",
	Why: "The server notices that a client is gone only when it sends data. A long query therefore runs to its end " +
		"without a recipient, and a client that reconnects may run it a second time.",
	Formula: "10 s if it is 0 (off), only on Linux, which reports a closed socket. The desktop profile keeps its " +
		"value.",
	Sources: []string{"pg-config-connection"},
	Decide: func(c *rule.Case) {
		switch {
		case c.Now() > 0:
			c.Keep("running queries check their client every {present}", "present", c.Shown())
		case c.Options.Profile == rule.Desktop || !onLinux(c):
			return
		default:
			c.Set(10*time.Second,
				"with 0 (off), a query whose client is gone runs to its end; a check every 10 s costs one system call")
		}
	},
}

// onLinux reports whether the server is known to run on Linux: its host was seen, or it said so itself.
func onLinux(c *rule.Case) bool {
	if c.Snapshot.HostSeen {
		return true
	}
	a, ok := rule.Need(c, c.Instance.Server.Access)
	return ok && strings.Contains(a.Compiled, "linux")
}
