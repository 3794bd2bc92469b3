package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// archiveTries are the failures of limits.ArchiveLate: the archiver tries a segment
// three times and then pauses for a minute.
const archiveTries = 180

// ArchiveFailing fires if archiving fails now: the last failure is later
// than the last success. Failures followed by a success are not a finding.
var ArchiveFailing = check.Check{
	ID:       "archive_failing",
	Area:     check.WAL,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "WAL archiving is failing",
	Why: "Segments stay in pg_wal until they are archived. While archiving fails, point-in-time recovery ends at " +
		"the last archived segment, and standbys fed from the archive fall behind. pg_wal grows until its disk is " +
		"full, and then the server stops with a PANIC.",
	Do: "1. Search the server log for \"archive command failed\": its DETAIL shows the command and the exit code.\n" +
		"2. Find the segment: SELECT last_failed_wal FROM pg_stat_archiver;\n" +
		"3. Run the command for it manually as the server's user, and correct the cause.\n" +
		"4. Monitor the free space of pg_wal. If the disk fills, free other space on it. Never delete segments " +
		"manually.",
	Sources: []string{"pg-monitoring", "pg-config-wal"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		if mode, ok := set.Text("archive_mode"); !ok || mode == "off" {
			return
		}
		command, hasCommand := set.Text("archive_command")
		library, _ := set.Text("archive_library")
		if hasCommand && command == "" && library == "" {
			c.FoundDo(check.Warning,
				"Do one of these, and monitor the free space of pg_wal until then:\n"+
					"1. Set archive_command, or archive_library in PostgreSQL 15 and later, and reload.\n"+
					"2. Set archive_mode = off and restart.",
				"archive_mode = {mode}, but neither archive_command nor archive_library is set: every segment "+
					"stays in pg_wal.", "mode", set["archive_mode"].Value)
			return
		}
		a, ok := check.Need(c, c.Instance.Server.Archiver)
		if !ok || a.Failed == 0 || a.LastFailed <= a.LastOK {
			return
		}
		if a.LastOK == 0 {
			sev := check.Warning
			if a.Failed >= archiveTries {
				sev = check.Critical
			}
			c.That(sev, say.M(c.Remedy()), say.N(a.Failed,
				"Archiving failed {n} time and never succeeded since the last statistics reset.",
				"Archiving failed {n} times and never succeeded since the last statistics reset."))
			return
		}
		since := float64(a.LastFailed - a.LastOK)
		sev := check.Warning
		if since >= limits.ArchiveLate {
			sev = check.Critical
		}
		c.FoundAs(sev,
			"The last attempt failed, {since} after the last success (failures: {n}, archived segments: {ok}, since "+
				"the last statistics reset).",
			"since", say.Span(since), "n", a.Failed, "ok", a.Archived)
	},
}
