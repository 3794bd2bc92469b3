package memory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// SharedSettings names the settings that a server's shared memory depends on,
// and those that decide whether the others go together. Settings of preloaded
// libraries, which have a dot in their name, belong to them too.
var SharedSettings = []string{
	"archive_mode", // on needs wal_level above minimal
	"autovacuum_max_workers",
	"autovacuum_worker_slots",
	"commit_timestamp_buffers",
	"dynamic_library_path", // the search path of shared_preload_libraries
	"hot_standby",
	"huge_page_size",
	"io_combine_limit", // capped by io_max_combine_limit
	"io_max_combine_limit",
	"io_max_concurrency",
	"io_max_workers", // 19 instead of io_workers
	"io_method",
	"io_workers",
	"max_active_replication_origins",
	"max_connections",
	"max_locks_per_transaction",
	"max_logical_replication_workers",
	"max_notify_queue_pages",
	"max_pred_locks_per_transaction",
	"max_prepared_transactions",
	"max_repack_replication_slots",
	"max_replication_slots",
	"max_wal_senders",
	"max_worker_processes",
	"min_dynamic_shared_memory",
	"multixact_member_buffers",
	"multixact_offset_buffers",
	"notify_buffers",
	"old_snapshot_threshold",
	"reserved_connections", // together below max_connections
	"serializable_buffers",
	"shared_buffers",
	"shared_memory_type",
	"shared_preload_libraries",
	"subtransaction_buffers",
	"summarize_wal", // on needs wal_level above minimal
	"superuser_reserved_connections",
	"track_activity_query_size",
	"track_commit_timestamp",
	"transaction_buffers",
	"wal_buffers",
	"wal_level", // minimal allows no max_wal_senders
}

// MattersForShared reports whether a setting belongs to SharedSettings or to a preloaded library.
func MattersForShared(name string) bool {
	_, found := slices.BinarySearch(SharedSettings, name)
	return found || strings.Contains(name, ".")
}

// automatic names the settings that the server computes if they are not set, and the value that requests it.
// pg_settings shows what was computed.
var automatic = map[string]string{
	"wal_buffers": "-1", "io_max_concurrency": "-1",
	"transaction_buffers": "0", "subtransaction_buffers": "0", "commit_timestamp_buffers": "0",
}

// Automatic reports whether a value is the one that asks the server to compute a setting: it then shows another.
func Automatic(name, value string) bool {
	auto, ok := automatic[name]
	return ok && value == auto
}

// Chosen returns the configured value of a setting: if the server computed one, that is the value that requests the
// computation, as another configuration may come to another result.
func Chosen(s pg.Setting) string {
	auto, ok := automatic[s.Name]
	if ok && s.File == "" && s.Source != "command line" {
		// Without the right to see where a value comes from, the source still shows it: a computed one counts as a
		// default, up to 14 as an override.
		if s.Source == "default" || s.Source == "override" || s.Source == "" {
			return auto
		}
	}
	return s.Value
}

// SharedOf takes from a server's settings what its shared memory depends on. planned overlays them with values in the
// base unit; nil if nothing is planned. ok is false if the settings lack even shared_buffers and max_connections.
func SharedOf(set pg.Settings, planned func(name string) (string, bool)) (p SharedParams, ok bool) {
	text := func(name string) (string, bool) {
		if planned != nil {
			if v, ok := planned(name); ok {
				return v, true
			}
		}
		s, ok := set[name]
		if !ok {
			return "", false
		}
		return Chosen(s), true
	}
	number := func(name string) int {
		v, _ := text(name)
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil {
			return 0
		}
		return int(n)
	}
	amount := func(name string) unit.Bytes {
		size, isMem := unit.MemoryUnit(set[name].Unit)
		if !isMem {
			size = 1
		}
		v, _ := text(name)
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n > 1<<50/int64(size) {
			return 0
		}
		return unit.Bytes(n) * size
	}
	p = SharedParams{
		SharedBuffers: amount("shared_buffers"), Block: amount("block_size"),
		Connections: number("max_connections"), WorkerProcesses: number("max_worker_processes"),
		WALSenders:    number("max_wal_senders"),
		PreparedXacts: number("max_prepared_transactions"),
		Locks:         number("max_locks_per_transaction"), PredicateLocks: number("max_pred_locks_per_transaction"),
		Slots: number("max_replication_slots"), Origins: number("max_active_replication_origins"),
		RepackSlots:    number("max_repack_replication_slots"),
		LogicalWorkers: number("max_logical_replication_workers"),
		WALBuffers:     amount("wal_buffers"), WALSegment: amount("wal_segment_size"),
		QuerySize: amount("track_activity_query_size"), MinDynamic: amount("min_dynamic_shared_memory"),
		Transaction: number("transaction_buffers"), Subtransaction: number("subtransaction_buffers"),
		CommitTS: number("commit_timestamp_buffers"),
		OtherSLRU: number("multixact_offset_buffers") + number("multixact_member_buffers") +
			number("notify_buffers") + number("serializable_buffers"),
		IOConcurrency: number("io_max_concurrency"), IOCombine: number("io_max_combine_limit"),
	}
	p.Autovacuum = number("autovacuum_max_workers")
	if _, ok := text("autovacuum_worker_slots"); ok {
		p.Autovacuum = number("autovacuum_worker_slots")
	}
	method, _ := text("io_method")
	p.IOUring = method == "io_uring"
	if libs, _ := text("shared_preload_libraries"); strings.Contains(libs, "pg_stat_statements") {
		p.Statements = number("pg_stat_statements.max")
		if p.Statements == 0 {
			p.Statements = 5000 // its default, if the library is planned and not yet loaded
		}
	}
	return p, p.SharedBuffers > 0 && p.Connections > 0
}

// EstimatePlanned estimates the planned segment next to the running one: what the running one takes beyond its own
// estimate has reasons that no setting shows (preloaded libraries, the build), and stays. actual may be rounded up; 0
// if unknown.
func EstimatePlanned(major int, present SharedParams, actual unit.Bytes, planned SharedParams) unit.Bytes {
	extra := unit.Bytes(0)
	if actual > 0 {
		extra = max(actual-EstimateShared(major, present), 0)
	}
	return EstimateShared(major, planned) + extra
}
