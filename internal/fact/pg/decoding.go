package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Decoding is a row of pg_stat_replication_slots (14+): what decoding for a
// logical slot has cost.
type Decoding struct {
	Slot         string     `json:"slot"`
	Transactions int64      `json:"transactions"` // that were spilled
	Spills       int64      `json:"spills"`       // how often one was
	Spilled      unit.Bytes `json:"spilled"`
	Decoded      unit.Bytes `json:"decoded"`
	StatsReset   int64      `json:"stats_reset"` // seconds since the epoch; 0: never
}

// ReadDecoding reads decoding.json.
func ReadDecoding(fsys fs.FS, key string) known.Fact[[]Decoding] {
	return list(fsys, key, "decoding", func(r *Row) Decoding {
		return Decoding{Slot: r.Text("slot_name"), Transactions: r.Int("spill_txns"), Spills: r.Int("spill_count"),
			Spilled: r.Bytes("spill_bytes"),
			Decoded: r.Bytes("total_bytes"), StatsReset: r.Int("stats_reset")}
	})
}

// Controlled is a setting that pg_control keeps: on a primary its own, on a
// standby that of the primary, as far as its WAL was replayed.
type Controlled struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// controlled are the settings that a standby may not have lower than its
// primary, in the order of the control file.
var controlled = []string{"max_connections", "max_worker_processes", "max_wal_senders", "max_prepared_transactions",
	"max_locks_per_transaction"}

// ReadControlled reads controlled.json; the list is empty where the control file
// is of a form that is not known.
func ReadControlled(fsys fs.FS, key string) known.Fact[[]Controlled] {
	rows := list(fsys, key, "controlled", func(r *Row) []Controlled {
		var out []Controlled
		for _, name := range controlled {
			out = append(out, Controlled{name, r.Int(name)})
		}
		return out
	})
	return known.Map(rows, func(rows [][]Controlled) []Controlled {
		if len(rows) != 1 {
			return []Controlled{}
		}
		return rows[0]
	})
}
