package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// spillsNotice and spillsWarning per hour are those of temp_files: the same
	// disk writes and reads them.
	spillsNotice  = limits.TempNotice
	spillsWarning = limits.TempWarning

	// decodingMost is more than the changes of most transactions take; larger ones are streamed.
	decodingMost = 256 * unit.MB
	// decodingPart is the part of the memory budget of an instance that all of its walsenders may hold together, as
	// none of them is counted among the sessions at work.
	decodingPart = 16
)

const smallerTransactions = "2. Stream transactions of millions of rows while they run: ALTER SUBSCRIPTION " +
	"SUBSCRIPTION_NAME SET (streaming = on);\n" +
	"In PostgreSQL 16 and later, use streaming = parallel, the default of new subscriptions since 18.\n" +
	"3. Or load in smaller transactions."

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
	Do: "1. Raise logical_decoding_work_mem (reload) if the memory has room for it: each walsender can use as much.\n" +
		smallerTransactions,
	Commands: []check.Command{check.SQL("SELECT pg_reload_conf();")},
	Sources:  []string{"pg-config-resource", "pg-monitoring"},
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
		c.That(sev, moreForDecoding(c, set, len(slots)), say.All("; ",
			say.M("Decoded changes spilled to disk: {slots}", "slots", told), limit))
	},
}

// moreForDecoding says how far the limit can be raised for the walsenders of so many slots.
func moreForDecoding(c *check.Case, set pg.Settings, slots int) say.Message {
	now, ok := set.Bytes("logical_decoding_work_mem")
	plan, planned := c.AtWork()
	if !ok || !planned {
		return say.M(c.Remedy())
	}
	most, each := min(decodingMost, plan.Share/unit.Bytes(decodingPart*slots)), unit.MB
	for 2*each <= most {
		each *= 2
	}
	number := say.N(slots, "{n} slot", "{n} slots")
	first := say.M("1. Raise the limit (reload; each walsender can use as much, {slots} here): ALTER SYSTEM SET "+
		"logical_decoding_work_mem = '{value}'; SELECT pg_reload_conf();", "slots", number, "value", each.GUC())
	switch {
	case each <= now && now < decodingMost:
		first = say.M("1. Do not raise the limit: a sixteenth of the memory budget of the instance ({share}), divided "+
			"by {slots}, is not more than {now}.", "share", plan.Share, "slots", number, "now", now)
	case each <= now:
		first = say.M("1. A higher limit than {now} rarely helps.", "now", now)
	}
	return say.All("\n", first, say.M(smallerTransactions))
}
