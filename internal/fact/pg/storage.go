package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Tablespace is a row of pg_tablespace.
type Tablespace struct {
	Name     string   `json:"name"`
	Location string   `json:"location"` // "" for pg_default and pg_global
	Options  []string `json:"options"`  // spcoptions: random_page_cost=1.1
	OID      int64    `json:"oid"`
}

// ReadTablespaces reads tablespaces.json.
func ReadTablespaces(fsys fs.FS, key string) known.Fact[[]Tablespace] {
	return list(fsys, key, "tablespaces", func(r *Row) Tablespace {
		return Tablespace{Name: r.Text("spcname"), Location: r.Text("location"),
			Options: textArray(r.Text("spcoptions")), OID: r.Int("oid")}
	})
}

// Control is pg_control_system, pg_control_checkpoint and pg_control_init.
type Control struct {
	SystemID     string     `json:"system_id"`
	CheckpointAt int64      `json:"checkpoint_at"` // seconds since the epoch
	Checksums    bool       `json:"checksums"`
	WALSegment   unit.Bytes `json:"wal_segment"`
	BlockSize    unit.Bytes `json:"block_size"`
	InRecovery   bool       `json:"in_recovery"`
}

// ReadControl reads control.json.
func ReadControl(fsys fs.FS, key string) known.Fact[Control] {
	return single(fsys, key, "control", func(r *Row) Control {
		return Control{SystemID: r.Text("system_identifier"), CheckpointAt: r.Int("checkpoint_at"),
			Checksums:  r.Bool("checksums"),
			WALSegment: r.Bytes("wal_segment"), BlockSize: r.Bytes("block_size"), InRecovery: r.Bool("in_recovery")}
	})
}

// ShmemPart is a row of pg_shmem_allocations; Name is "<anonymous>" and
// "<unused>" for the two that have none.
type ShmemPart struct {
	Name string     `json:"name"`
	Size unit.Bytes `json:"size"` // allocated_size
}

// ReadShmem reads shmem.json: the largest part first.
func ReadShmem(fsys fs.FS, key string) known.Fact[[]ShmemPart] {
	return list(fsys, key, "shmem", func(r *Row) ShmemPart {
		return ShmemPart{Name: r.Text("name"), Size: r.Bytes("allocated_size")}
	})
}
