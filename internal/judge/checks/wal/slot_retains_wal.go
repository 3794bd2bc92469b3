package wal

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// slotHorizon is how many transactions an abandoned slot may hold VACUUM back
// for before that is a reason of its own: the vacuum_freeze_min_age of 50
// million, below which nothing would be frozen anyway.
const slotHorizon = 50_000_000

// SlotRetainsWal lets an inactive slot have what would be there without it:
// max_wal_size. It is critical when the slots keep more than the disk still has
// free, as then less than the same time again is left.
var SlotRetainsWal = check.Check{
	ID:       "slot_retains_wal",
	Area:     check.WAL,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Replication slot retains WAL or is invalidated",
	Why: "A slot keeps all WAL that its consumer has not confirmed, and rows that it may need, even if the " +
		"consumer no longer exists. With max_slot_wal_keep_size = -1, this continues until the disk is full and " +
		"the server stops. With a limit, the slot is invalidated instead, and its standby or subscriber must be " +
		"rebuilt.",
	Do: "1. Bring the consumer back. If it is gone, or the slot is invalidated, drop the slot: SELECT " +
		"pg_drop_replication_slot('SLOT_NAME');\n" +
		"2. Set a limit that leaves free space on the disk (reload): ALTER SYSTEM SET max_slot_wal_keep_size = " +
		"'50GB'; SELECT pg_reload_conf();\n" +
		"3. In PostgreSQL 18 and later, also set idle_replication_slot_timeout (reload).",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET max_slot_wal_keep_size = '50GB';"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-replication", "pg-system-views"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		slots, ok := check.Need(c, c.Instance.Server.Slots)
		if !ok {
			return
		}
		normal, _ := set.Bytes("max_wal_size")
		var told []string
		var kept unit.Bytes // by the slot that keeps most: they all keep the same tail
		for _, s := range slots {
			retained, _ := s.Retained.Get()
			switch {
			case s.WALStatus == "lost":
				told = append(told, fmt.Sprintf("%s (%s) was invalidated: the WAL it needs is gone", s.Name, s.Kind))
			case s.WALStatus == "unreserved":
				told = append(told,
					fmt.Sprintf("%s (%s) is beyond max_slot_wal_keep_size and will be invalidated at a checkpoint",
						s.Name, s.Kind))
			case s.Active || s.Temporary:
			case retained > normal || s.XminAge > slotHorizon:
				rows := ""
				if s.XminAge > 0 {
					rows = " and the rows of " + check.Count(s.XminAge).String() + " transactions"
				}
				told = append(told, fmt.Sprintf("%s (%s) is inactive and keeps %s of WAL%s", s.Name, s.Kind,
					retained, rows))
				kept = max(kept, retained)
			}
		}
		if len(told) == 0 {
			return
		}
		limit := set["max_slot_wal_keep_size"].Show()
		if limit == "-1" && kept > 0 {
			if sp, ok := walSpace(c.Snapshot, c.Instance); ok && kept > sp.Free {
				c.FoundAs(check.Critical,
					"{slots}; {free} are free for WAL, and max_slot_wal_keep_size = -1 sets no limit.", "slots",
					check.Join(told, "; ", 3), "free", sp.Free)
				return
			}
		}
		c.Found("{slots} (max_slot_wal_keep_size = {limit}).", "slots", check.Join(told, "; ", 3), "limit", limit)
	},
}
