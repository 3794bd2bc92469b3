package wal

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// spillsNotice and spillsWarning an hour are those of temp_files: the same
	// disk writes and reads them.
	spillsNotice  = limits.TempNotice
	spillsWarning = limits.TempWarning
)

// LogicalDecodingSpills goes by the rate since the statistics of the slot were
// reset; where they never were, since all statistics began, which makes the rate
// the lower one.
var LogicalDecodingSpills = check.Check{
	ID:       "logical_decoding_spills",
	Area:     check.WAL,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	From:     14,
	Title:    "Logical decoding spills to disk",
	Why: "A walsender collects the changes of each transaction until it commits. Above logical_decoding_work_mem, " +
		"the largest transaction is written to pg_replslot and read back at its commit. This doubles the traffic, " +
		"on the disk of the data directory, and the subscriber waits for it.",
	Do: "1. Raise the limit (reload; each walsender can use as much): ALTER SYSTEM SET logical_decoding_work_mem " +
		"= '256MB'; SELECT pg_reload_conf();\n" +
		"2. Stream transactions of millions of rows while they run: ALTER SUBSCRIPTION SUBSCRIPTION_NAME SET " +
		"(streaming = on);\n" +
		"In PostgreSQL 16 and later, use streaming = parallel, the default of new subscriptions since 18.\n" +
		"3. Or load in smaller transactions.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET logical_decoding_work_mem = '256MB';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-resource", "pg-monitoring"},
	Judge: func(c *check.Case) {
		slots, ok := check.Need(c, c.Instance.Server.Decoding)
		if !ok || len(slots) == 0 {
			return
		}
		cp, ok := check.Need(c, c.Instance.Server.Checkpoints)
		if !ok {
			return
		}
		sev := check.Notice
		var told []string
		for _, s := range slots {
			since := s.StatsReset
			if since == 0 {
				since = cp.StatsReset
			}
			secs := float64(c.Now() - since)
			if since == 0 || secs < limits.Hour {
				continue
			}
			rate := s.Spilled.Scale(3600 / secs)
			if rate < spillsNotice {
				continue
			}
			if rate >= spillsWarning {
				sev = check.Warning
			}
			told = append(told, fmt.Sprintf("slot %s: %s an hour (%s of %s decoded in %s, by %s transactions)", s.Slot,
				rate, s.Spilled, unit.Bytes(s.Decoded), say.Span(secs), check.Count(s.Transactions)))
		}
		if len(told) == 0 {
			return
		}
		limit := "not known"
		if set, ok := c.Instance.Server.Settings.Get(); ok {
			limit = set["logical_decoding_work_mem"].Show()
		}
		c.FoundAs(sev, "{slots}; logical_decoding_work_mem = {limit}.", "slots", check.Join(told, "; ", 3),
			"limit", limit)
	},
}
