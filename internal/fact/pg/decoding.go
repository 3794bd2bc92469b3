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
