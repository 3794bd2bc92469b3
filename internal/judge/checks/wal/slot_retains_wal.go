package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// slotHorizon is the xmin age of an abandoned slot that is a finding even without
// WAL: the vacuum_freeze_min_age of 50 million, below which VACUUM would not
// freeze anyway.
const slotHorizon = 50_000_000

// SlotRetainsWal tolerates in an inactive slot what would be there without it:
// max_wal_size. It is critical if the slots keep more than the disk has
// free, because then less than the same time again is left.
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
		told := say.List{Sep: "; ", Most: 3}
		note := func(text say.Template, s pg.Slot, pairs ...any) {
			told.Items = append(told.Items, say.M(text, append(pairs, "name", s.Name, "kind", s.Kind)...))
		}
		var kept unit.Bytes // by the slot that keeps most: they all keep the same tail
		for _, s := range slots {
			retained, _ := s.Retained.Get()
			switch {
			case s.WALStatus == "lost":
				note("{name} ({kind}) is invalidated (wal_status = lost)", s)
			case s.WALStatus == "unreserved":
				note("{name} ({kind}) exceeds max_slot_wal_keep_size and may be invalidated at the next checkpoint", s)
			case s.Active || s.Temporary:
			case retained > normal || s.XminAge > slotHorizon:
				if s.XminAge > 0 {
					note("{name} ({kind}) is inactive and retains {size} of WAL, xmin age {age}", s, "size", retained,
						"age", check.Count(s.XminAge))
				} else {
					note("{name} ({kind}) is inactive and retains {size} of WAL", s, "size", retained)
				}
				kept = max(kept, retained)
			}
		}
		if len(told.Items) == 0 {
			return
		}
		limit := set["max_slot_wal_keep_size"].Show()
		if limit == "-1" && kept > 0 {
			if sp, ok := walSpace(c.Snapshot, c.Instance); ok && kept > sp.Free {
				c.FoundAs(check.Critical,
					"{slots}; {free} free for WAL, no limit (max_slot_wal_keep_size = -1).", "slots", told, "free",
					sp.Free)
				return
			}
		}
		c.Found("{slots} (max_slot_wal_keep_size = {limit}).", "slots", told, "limit", limit)
	},
}
