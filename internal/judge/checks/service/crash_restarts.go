package service

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

const (
	// restartSlack is how much later than the postmaster, in seconds, its shared
	// memory may be made in a plain start. Both happen within a second, but the
	// libraries of shared_preload_libraries are loaded between them, and a busy host
	// with much shared memory was seen to take several.
	restartSlack = 15
	// restartNews is how long, in seconds, a restart is a warning: a week, for as
	// long the logs that tell its cause are usually kept. Afterwards it is a notice.
	restartNews = 7 * 86400
)

// CrashRestarts sees the last restart only. A long recovery at the start does not
// look like one in the segment, which is made before recovery begins. Where the
// server alone can be asked it goes by the checkpointer, whose death is always a
// crash; before 15 that one began only when recovery was over, so a late one
// proves nothing there.
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
			"The last restart after a crash was at {when}, {ago} ago; the postmaster has run since {started}.",
			"when", instant(again), "ago", say.Span(float64(max(c.Now()-again, 0))), "started", instant(started))
	},
}

// lives returns when the postmaster started, and when it last made its shared
// memory or, where that cannot be seen, its checkpointer.
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
		Reason: "the checkpointer is younger than the postmaster, after a crash or, before version 15, after a long " +
			"recovery at the start",
		Reveal: "read the server's log with pgfettle diagnose log, or run pgfettle on the database host"}
}

// instant spells a moment as people read it, in UTC.
func instant(t int64) string { return time.Unix(t, 0).UTC().Format("2006-01-02 15:04 UTC") }
