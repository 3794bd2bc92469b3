package service

import (
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// shutdownRate is what a shutdown checkpoint writes per second of scattered
// buffers on a modest disk; SSDs write several times as much.
const shutdownRate = 100 * unit.MB

// StopTimeoutShort is a notice: crash recovery loses nothing, it only takes time.
var StopTimeoutShort = check.Check{
	ID:       "stop_timeout_short",
	Area:     check.Service,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "TimeoutStopSec is too short for a clean shutdown",
	Why: "A clean shutdown first writes every dirty buffer. If that takes longer than TimeoutStopSec, systemd " +
		"sends SIGKILL, and the next start is a crash recovery that replays the WAL since the last " +
		"checkpoint. A planned restart of seconds becomes an outage of minutes.",
	Do: "1. Run: systemctl edit UNIT\n" +
		"2. Add under [Service]: TimeoutStopSec=1h\n" +
		"3. Run: systemctl daemon-reload\n" +
		"No restart is needed. A CHECKPOINT just before a planned stop shortens the shutdown.",
	Commands: []check.Command{
		check.Conf("TimeoutStopSec=1h"),
		check.Shell("systemctl daemon-reload"),
	},
	Sources: []string{"systemd-service"},
	Judge: func(c *check.Case) {
		u, ok := check.Need(c, c.Instance.Unit)
		if !ok {
			return
		}
		limit, ok := timespan(u.Properties["TimeoutStopUSec"])
		if !ok {
			return
		}
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		buffers, ok := set.Bytes("shared_buffers")
		if need := time.Duration(buffers/shutdownRate) * time.Second; ok && limit < need {
			c.Found("{unit}: TimeoutStopSec is {limit}. Writing {buffers} of shared_buffers at 100 MB/s takes {need}.",
				"unit", u.Name, "limit", say.Span(limit.Seconds()), "buffers", buffers, "need",
				say.Span(need.Seconds()))
		}
	},
}

// timespan reads a time as systemctl show prints it: "1min 30s", "infinity". ok
// is false for no limit and for an unknown form.
func timespan(text string) (time.Duration, bool) {
	units := map[string]string{"min": "m", "s": "s", "h": "h", "ms": "ms", "us": "us"}
	var sum time.Duration
	words := strings.Fields(text)
	for _, w := range words {
		at := strings.IndexFunc(w, func(r rune) bool { return r < '0' || r > '9' })
		if at <= 0 || units[w[at:]] == "" {
			return 0, false
		}
		d, err := time.ParseDuration(w[:at] + units[w[at:]])
		if err != nil {
			return 0, false
		}
		sum += d
	}
	return sum, len(words) > 0 && sum > 0
}
