package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// spillsNotice and spillsWarning per hour are those of temp_files: the same
	// disk writes and reads them.
	spillsNotice  = limits.TempNotice
	spillsWarning = limits.TempWarning
)

// LogicalDecodingSpills uses the rate since the statistics of the slot were
// reset; if they never were, since all statistics began, which makes the rate
// lower.
var LogicalDecodingSpills = check.Check{
	ID:       "logical_decoding_spills",
	Area:     check.WAL,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	From:     14,
	Title:    "Logical decoding spills to disk",
	Why: "A walsender collects the changes of each transaction until it commits. Above " +
		"logical_decoding_work_mem, the largest transaction is written to pg_replslot and read back at its commit. " +
		"This doubles the traffic on the disk of the data directory, and the subscriber waits for it.",
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
		told := say.List{Sep: "; ", Most: 3}
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
			told.Items = append(told.Items, say.M(
				"slot {slot}: {rate} per hour ({spilled} of {decoded} decoded in {history}, transactions: {n})",
				"slot", s.Slot, "rate", rate, "spilled", s.Spilled, "decoded", unit.Bytes(s.Decoded), "history",
				say.Span(secs), "n", check.Count(s.Transactions)))
		}
		if len(told.Items) == 0 {
			return
		}
		limit := say.M("logical_decoding_work_mem is unknown.")
		set, _ := c.Instance.Server.Settings.Get()
		if v, ok := set["logical_decoding_work_mem"]; ok {
			limit = say.M("logical_decoding_work_mem = {limit}.", "limit", v.Show())
		}
		c.That(sev, say.M(c.Remedy()), say.All("; ", say.M("Decoded changes spilled to disk: {slots}", "slots", told),
			limit))
	},
}
