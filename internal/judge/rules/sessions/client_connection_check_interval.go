package sessions

import (
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var ClientConnectionCheckInterval = rule.Rule{
	Address: knob.PG("client_connection_check_interval"),
	Title:   "how often a running query looks whether its client is still there",
	Why: "A client that went away is noticed only when the server wants to send it something. A long query runs " +
		"to its end for nobody, and the client that came back runs it a second time.",
	Formula: "10 s where it is off; on Linux, which tells a closed socket without reading from it. The desktop " +
		"profile keeps what it has.",
	Sources: []string{"pg-config-connection"},
	Decide: func(c *rule.Case) {
		switch {
		case c.Now() > 0:
			c.Keep("queries look every {present}", "present", c.Shown())
		case c.Options.Profile == rule.Desktop || !onLinux(c):
			return
		default:
			c.Set(10*time.Second,
				"off: a query whose client is gone runs to its end; looking every 10 s costs one system call")
		}
	},
}

// onLinux says whether the server is known to run on Linux: its host was seen,
// or it said so itself.
func onLinux(c *rule.Case) bool {
	if c.Snapshot.HostSeen {
		return true
	}
	a, ok := rule.Need(c, c.Instance.Server.Access)
	return ok && strings.Contains(a.Compiled, "linux")
}
