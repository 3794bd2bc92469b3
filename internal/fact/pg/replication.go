package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Replica is a row of pg_stat_replication.
type Replica struct {
	Name  string                 `json:"name"` // application_name
	State string                 `json:"state"`
	Sync  string                 `json:"sync"`
	Lag   known.Fact[unit.Bytes] `json:"lag"` // bytes from the current WAL position to replay_lsn
	// XminAge is the age of the snapshot that it has us keep rows for; 0 for none,
	// also where its slot holds it (Slot.XminAge).
	XminAge int64 `json:"xmin_age"`
}

// ReadReplicas reads replicas.json.
func ReadReplicas(fsys fs.FS, key string) known.Fact[[]Replica] {
	return list(fsys, key, "replicas", func(r *Row) Replica {
		lag := known.Is(r.Bytes("lag"))
		gap := known.Gap{Fact: Path(key, "replicas") + ": lag",
			Reason: "the standby has not reported its replay position"}
		switch {
		case r.Has("lag"):
		case r.Has("state"):
			lag = known.None[unit.Bytes](gap)
		default: // all but the process is hidden
			gap.Reason, gap.Reveal = "replication is hidden from this role", monitorRight
			lag = known.Barred[unit.Bytes](gap)
		}
		return Replica{Name: r.Text("application_name"), State: r.Text("state"), Sync: r.Text("sync_state"), Lag: lag,
			XminAge: r.Int("xmin_age")}
	})
}

// Slot is a row of pg_replication_slots.
type Slot struct {
	Name      string                 `json:"name"`
	Kind      string                 `json:"kind"` // physical, logical
	Active    bool                   `json:"active"`
	Temporary bool                   `json:"temporary"`
	WALStatus string                 `json:"wal_status"` // reserved, extended, unreserved, lost
	Retained  known.Fact[unit.Bytes] `json:"retained"`   // WAL held back
	XminAge   int64                  `json:"xmin_age"`   // age of xmin and catalog_xmin, the greater
	Idle      known.Fact[float64]    `json:"idle"`       // seconds since a consumer used it; 17+
}

// ReadSlots reads slots.json.
func ReadSlots(fsys fs.FS, key string) known.Fact[[]Slot] {
	return list(fsys, key, "slots", func(r *Row) Slot {
		s := Slot{Name: r.Text("slot_name"), Kind: r.Text("slot_type"), Active: r.Bool("active"),
			Temporary: r.Bool("temporary"),
			WALStatus: r.Text("wal_status"), XminAge: r.Int("xmin_age")}
		s.Retained = known.None[unit.Bytes](known.Gap{Fact: Path(key, "slots") + ": retained",
			Reason: "the slot holds back no WAL"})
		s.Idle = known.None[float64](known.Gap{Fact: Path(key, "slots") + ": idle",
			Reason: "the slot has a consumer, or the server does not record it (before 17)"})
		if r.Has("idle_secs") {
			s.Idle = known.Is(float64(r.Int("idle_secs")))
		}
		if r.Has("retained") {
			s.Retained = known.Is(r.Bytes("retained"))
		}
		return s
	})
}

// PreparedXact is a row of pg_prepared_xacts.
type PreparedXact struct {
	Database string  `json:"database"`
	Age      float64 `json:"age"` // seconds
	XIDAge   int64   `json:"xid_age"`
}

// ReadPrepared reads prepared.json: the oldest first.
func ReadPrepared(fsys fs.FS, key string) known.Fact[[]PreparedXact] {
	return list(fsys, key, "prepared", func(r *Row) PreparedXact {
		return PreparedXact{Database: r.Text("database"), Age: r.Float("age"), XIDAge: r.Int("xid_age")}
	})
}
