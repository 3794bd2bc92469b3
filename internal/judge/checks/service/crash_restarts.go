package service

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// restartSlack is how much later than the postmaster, in seconds, its shared
	// memory may be created in a normal start. Usually that is within a second, but
	// shared_preload_libraries are loaded in between, and a busy host with much shared
	// memory was measured to take several seconds.
	restartSlack = 15
	// restartNews is how long, in seconds, a restart is a warning: a week, as long as
	// logs are usually kept. Afterwards it is a notice.
	restartNews = 7 * 86400
)

// CrashRestarts sees only the last restart. A long recovery at start does not look
// like one, as the segment is created before recovery begins. If only the server can
// be asked, the check uses the checkpointer, whose exit is always a crash. Before 15
// the checkpointer started only after recovery, so a late one proves nothing there.
var CrashRestarts = check.Check{
	ID:       "crash_restarts",
	Area:     check.Service,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Instance crashed and restarted",
	Why: "When a server process is killed or crashes, the postmaster terminates all sessions, reinitializes " +
		"shared memory and runs crash recovery. All open transactions are lost. The postmaster itself " +
		"survives, so systemctl status and pg_postmaster_start_time() show no restart. Until the cause is " +
		"found, it can happen again.",
	Do: "1. Find the crash in the server log, with the process, the signal and usually the statement: " +
		"pgfettle diagnose log\n" +
		"2. If it was signal 9, find the victim, the cause and a remedy in the kernel log: pgfettle diagnose " +
		"oom",
	Commands: []check.Command{
		check.Shell("pgfettle diagnose log"),
		check.Shell("pgfettle diagnose oom"),
	},
	Sources: []string{"pg-config", "pg-overcommit", "pgfettle-measured"},
	Judge: func(c *check.Case) {
		if running, ok := c.Instance.Running.Get(); ok && !running {
			return
		}
		started, again, ok := lives(c)
		if !ok || again-started <= restartSlack {
			return
		}
		sev := check.Warning
		if c.Now()-again > restartNews {
			sev = check.Notice
		}
		c.FoundAs(sev,
			"Last restart after a crash: {when}, {ago} ago. The postmaster has been running since {started}.",
			"when", instant(again), "ago", say.Span(float64(max(c.Now()-again, 0))), "started", instant(started))
	},
}

// lives returns when the postmaster started, and when it last created its shared
// memory or, if that is unknown, its checkpointer.
func lives(c *check.Case) (started, again int64, ok bool) {
	if s, ok := c.Instance.Segment.Get(); ok {
		return s.StartedAt, s.CreatedAt, true
	}
	access, ok1 := c.Instance.Server.Access.Get()
	activity, ok2 := c.Instance.Server.Activity.Get()
	if !ok1 || !ok2 || access.StartedAt <= 0 || activity.CheckpointerAt <= 0 {
		_, _ = check.Need(c, c.Instance.Segment)
		return 0, 0, false
	}
	started, again = access.StartedAt, activity.CheckpointerAt
	if v, known := c.Instance.Server.Version.Get(); again-started > restartSlack && (!known || v.Major() < 15) {
		c.Missing(lateCheckpointer(c.Instance.Key))
		return 0, 0, false
	}
	return started, again, true
}

func lateCheckpointer(key string) known.Gap {
	return known.Gap{Fact: "pg/" + key + "/activity",
		Reason: "the checkpointer is younger than the postmaster, after a crash or, in version 14 and earlier, after " +
			"a long recovery at start",
		Reveal: "read the server log with pgfettle diagnose log, or run pgfettle on the database host"}
}

// instant formats a time for people, in UTC.
func instant(t int64) string { return time.Unix(t, 0).UTC().Format("2006-01-02 15:04 UTC") }
