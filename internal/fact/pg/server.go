package pg

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Access says as whom the facts were asked for.
type Access struct {
	Role      string `json:"role"`
	Superuser bool   `json:"superuser"`
	Monitor   bool   `json:"monitor"`   // member of pg_monitor
	Database  string `json:"database"`  // connected to
	StartedAt int64  `json:"startedAt"` // pg_postmaster_start_time, seconds since the epoch
	Now       int64  `json:"now"`       // server's clock, seconds since the epoch
	ReloadAt  int64  `json:"reloadAt"`  // pg_conf_load_time
	PID       int    `json:"pid"`       // of our own backend
	Compiled  string `json:"compiled"`  // version(): compiler and platform
}

// Database is a row of pg_database with its statistics.
type Database struct {
	Name              string                 `json:"name"`
	Size              known.Fact[unit.Bytes] `json:"size"` // pg_database_size; missing without the right to connect
	Template          bool                   `json:"template"`
	AllowConn         bool                   `json:"allowConn"`
	ConnLimit         int64                  `json:"connLimit"`
	XIDAge            int64                  `json:"xidAge"`  // age(datfrozenxid)
	MXIDAge           int64                  `json:"mxidAge"` // mxid_age(datminmxid)
	Backends          int64                  `json:"backends"`
	Commits           int64                  `json:"commits"`
	Rollbacks         int64                  `json:"rollbacks"`
	BlocksRead        int64                  `json:"blocksRead"`
	BlocksHit         int64                  `json:"blocksHit"`
	TempFiles         int64                  `json:"tempFiles"`
	TempBytes         unit.Bytes             `json:"tempBytes"`
	Deadlocks         int64                  `json:"deadlocks"`
	Conflicts         int64                  `json:"conflicts"`
	ChecksumFails     int64                  `json:"checksumFails"`
	StatsReset        int64                  `json:"statsReset"` // seconds since the epoch; 0: never, statistics since the start of the cluster
	Sessions          known.Fact[int64]      `json:"sessions"`   // 14+
	SessionsFatal     int64                  `json:"sessionsFatal"`
	SessionsKilled    int64                  `json:"sessionsKilled"`
	SessionsAbandoned int64                  `json:"sessionsAbandoned"`
	CollationMismatch bool                   `json:"collationMismatch"` // 15+: recorded collation version differs from the library's
}

// Tablespace is a row of pg_tablespace.
type Tablespace struct {
	Name     string   `json:"name"`
	Location string   `json:"location"` // "" for pg_default and pg_global
	Options  []string `json:"options"`  // spcoptions: random_page_cost=1.1
	OID      int64    `json:"oid"`
}

// Extension is a row of pg_extension, of the database connected to.
type Extension struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Default string `json:"default"` // the version that CREATE EXTENSION would install
}

// Activity sums up pg_stat_activity: counts and the oldest of each kind, never
// a query text.
type Activity struct {
	States            map[string]StateCount `json:"states"`            // client backends by state: active, idle, idle in transaction, …
	Clients           int64                 `json:"clients"`           // client backends, our own excluded
	OldestXactAge     float64               `json:"oldestXactAge"`     // seconds; 0 when none is open
	OldestBackendXmin int64                 `json:"oldestBackendXmin"` // age(backend_xmin), transactions
	Waiting           int64                 `json:"waiting"`           // client backends waiting for a lock
	YoungestConn      float64               `json:"youngestConn"`      // median age of client connections in seconds
	ByUser            map[string]int64      `json:"byUser"`            // client backends by role; empty names are hidden
}

// StateCount is how many backends are in a state and how long the longest has been.
type StateCount struct {
	Count  int64   `json:"count"`
	Oldest float64 `json:"oldest"` // seconds since state_change
}

// Checkpoints is pg_stat_bgwriter (13–16) or pg_stat_checkpointer and
// pg_stat_bgwriter (17+).
type Checkpoints struct {
	Timed          int64             `json:"timed"`
	Requested      int64             `json:"requested"`
	Done           known.Fact[int64] `json:"done"`      // 18+: without skipped ones
	WriteTime      float64           `json:"writeTime"` // ms
	SyncTime       float64           `json:"syncTime"`  // ms
	BuffersWritten int64             `json:"buffersWritten"`
	BuffersClean   int64             `json:"buffersClean"`   // by the background writer
	MaxWritten     int64             `json:"maxWritten"`     // rounds that the background writer stopped for bgwriter_lru_maxpages
	BuffersBackend known.Fact[int64] `json:"buffersBackend"` // 13–16: written by backends themselves
	BackendFsync   known.Fact[int64] `json:"backendFsync"`   // 13–16
	BuffersAlloc   int64             `json:"buffersAlloc"`
	StatsReset     int64             `json:"statsReset"` // seconds since the epoch
	Secs           float64           `json:"secs"`       // seconds from stats_reset to the server's now
}

// WAL is pg_stat_wal (14+) and the size of the WAL folder where it may be listed.
type WAL struct {
	Records     int64      `json:"records"`
	FPI         int64      `json:"fpi"`
	Bytes       unit.Bytes `json:"bytes"`
	BuffersFull int64      `json:"buffersFull"`
	StatsReset  int64      `json:"statsReset"`
	Secs        float64    `json:"secs"`      // seconds from stats_reset to the server's now
	InsertLSN   unit.Bytes `json:"insertLSN"` // bytes of WAL since the cluster was made; 0 in recovery
}

// IO is a row of pg_stat_io (16+) with any activity.
type IO struct {
	Backend                                   string `json:"backend"` // backend_type
	Object                                    string `json:"object"`
	Context                                   string `json:"context"`
	Reads, Writes, Extends, Fsyncs, Evictions int64
	ReadTime, WriteTime, FsyncTime            float64 // ms; 0 without track_io_timing
}

// Archiver is pg_stat_archiver.
type Archiver struct {
	Archived   int64 `json:"archived"`
	Failed     int64 `json:"failed"`
	LastOK     int64 `json:"lastOK"`     // seconds since the epoch; 0: never
	LastFailed int64 `json:"lastFailed"` // seconds since the epoch; 0: never
}

// Replica is a row of pg_stat_replication.
type Replica struct {
	Name  string                 `json:"name"` // application_name
	State string                 `json:"state"`
	Sync  string                 `json:"sync"`
	Lag   known.Fact[unit.Bytes] `json:"lag"` // bytes from the current WAL position to replay_lsn
}

// Slot is a row of pg_replication_slots.
type Slot struct {
	Name      string                 `json:"name"`
	Kind      string                 `json:"kind"` // physical, logical
	Active    bool                   `json:"active"`
	Temporary bool                   `json:"temporary"`
	WALStatus string                 `json:"walStatus"` // reserved, extended, unreserved, lost
	Retained  known.Fact[unit.Bytes] `json:"retained"`  // WAL held back
	XminAge   int64                  `json:"xminAge"`   // age of xmin and catalog_xmin, the greater
}

// PreparedXact is a row of pg_prepared_xacts.
type PreparedXact struct {
	Database string  `json:"database"`
	Age      float64 `json:"age"` // seconds
	XIDAge   int64   `json:"xidAge"`
}

// ShmemPart is a row of pg_shmem_allocations; Name is "<anonymous>" and
// "<unused>" for the two that have none.
type ShmemPart struct {
	Name string     `json:"name"`
	Size unit.Bytes `json:"size"` // allocated_size
}

// Control is pg_control_system, pg_control_checkpoint and pg_control_init.
type Control struct {
	SystemID     string     `json:"systemID"`
	CheckpointAt int64      `json:"checkpointAt"` // seconds since the epoch
	Checksums    bool       `json:"checksums"`
	WALSegment   unit.Bytes `json:"walSegment"`
	BlockSize    unit.Bytes `json:"blockSize"`
	InRecovery   bool       `json:"inRecovery"`
}

// Deep holds what grows with the number of tables; it is asked for with --deep.
type Deep struct {
	Tables known.Fact[[]Table] `json:"tables"` // deep_tables.json: the 100 largest by relpages
}

// Table is a large table of the database connected to.
type Table struct {
	Schema, Name string
	Pages        int64 // relpages: as of the last VACUUM or ANALYZE
	Live, Dead   int64
	SeqScans     int64
	LastVacuum   int64 // the later of manual and automatic, seconds since the epoch; 0: never
	LastAnalyze  int64
	XIDAge       int64
}

// The readers below are to be written.

func ReadAccess(fsys fs.FS, key string) known.Fact[Access]            { panic("to be written") }
func ReadDatabases(fsys fs.FS, key string) known.Fact[[]Database]     { panic("to be written") }
func ReadTablespaces(fsys fs.FS, key string) known.Fact[[]Tablespace] { panic("to be written") }
func ReadExtensions(fsys fs.FS, key string) known.Fact[[]Extension]   { panic("to be written") }
func ReadActivity(fsys fs.FS, key string) known.Fact[Activity]        { panic("to be written") }
func ReadCheckpoints(fsys fs.FS, key string) known.Fact[Checkpoints]  { panic("to be written") }
func ReadWAL(fsys fs.FS, key string) known.Fact[WAL]                  { panic("to be written") }
func ReadIO(fsys fs.FS, key string) known.Fact[[]IO]                  { panic("to be written") }
func ReadArchiver(fsys fs.FS, key string) known.Fact[Archiver]        { panic("to be written") }
func ReadReplicas(fsys fs.FS, key string) known.Fact[[]Replica]       { panic("to be written") }
func ReadSlots(fsys fs.FS, key string) known.Fact[[]Slot]             { panic("to be written") }
func ReadPrepared(fsys fs.FS, key string) known.Fact[[]PreparedXact]  { panic("to be written") }
func ReadShmem(fsys fs.FS, key string) known.Fact[[]ShmemPart]        { panic("to be written") }
func ReadControl(fsys fs.FS, key string) known.Fact[Control]          { panic("to be written") }
func ReadDeep(fsys fs.FS, key string) Deep                            { panic("to be written") }
