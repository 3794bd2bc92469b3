package params

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Gone is a parameter that some version had and later ones do not.
type Gone struct {
	Name    string
	Last    string       // the last version that had it: "9.4", "16"
	Major   int          // the same as a number to compare; 9 for all of 9.x
	To      string       // the parameter that replaces it; "" if there is none
	How     say.Template // how the old value becomes the new one, or why it can be removed
	AliasOf bool         // the server still accepts the old name for To
	From    int          // AliasOf: since this major
	Same    bool         // a value of the old name means the same as one of To
}

// gone lists removed parameters that a postgresql.conf of many years can still have.
// From the release notes; what the servers of 13 to 19 accept and reject was tried on
// them.
var gone = []Gone{
	{Name: "checkpoint_segments", Last: "9.4", Major: 9, To: "max_wal_size",
		How: "max_wal_size is about 3 × checkpoint_segments × 16 MB: 32 segments become 1536MB."},
	{Name: "wal_keep_segments", Last: "12", Major: 12, To: "wal_keep_size",
		How: "wal_keep_size is wal_keep_segments × 16 MB: 64 segments become 1GB."},
	{Name: "stats_temp_directory", Last: "14", Major: 14,
		How: "In 15 and later, statistics are in shared memory. Remove the line, and the RAM disk that was created " +
			"for it."},
	{Name: "force_parallel_mode", Last: "15", Major: 15, To: "debug_parallel_query",
		Same: true, How: "It is meant only for tests of the server. Usually the line can be removed."},
	{Name: "ssl_ecdh_curve", Last: "17", Major: 17, To: "ssl_groups",
		Same: true, How: "The value stays the same. Several groups are separated by colons.", AliasOf: true,
		From: 18},
	{Name: "sort_mem", Last: "7.4", Major: 7, To: "work_mem", Same: true, How: "The value stays the same.",
		AliasOf: true},
	{Name: "vacuum_mem", Last: "7.4", Major: 7, To: "maintenance_work_mem", Same: true,
		How: "The value stays the same.", AliasOf: true},
	{Name: "vacuum_cleanup_index_scale_factor", Last: "13", Major: 13,
		How: "In 14 and later, VACUUM decides automatically when an index needs cleanup. Remove the line."},
	{Name: "operator_precedence_warning", Last: "13", Major: 13, How: "It warned of a change in 9.5. Remove the line."},
	{Name: "promote_trigger_file", Last: "15", Major: 15, How: "Promote with pg_ctl promote or SELECT pg_promote();"},
	{Name: "trigger_file", Last: "11", Major: 11, How: "Promote with pg_ctl promote or SELECT pg_promote();"},
	{Name: "standby_mode", Last: "11", Major: 11,
		How: "In 12 and later, an empty file standby.signal in the data directory makes a standby."},
	{Name: "vacuum_defer_cleanup_age", Last: "15", Major: 15, To: "hot_standby_feedback",
		How: "Use hot_standby_feedback or a replication slot: they hold back only the rows that a standby needs."},
	{Name: "old_snapshot_threshold", Last: "16", Major: 16,
		How: "It was slow and unsafe. Limit long transactions with transaction_timeout or " +
			"idle_in_transaction_session_timeout, per role."},
	{Name: "db_user_namespace", Last: "16", Major: 16, How: "There is no replacement. Give the roles distinct names."},
	{Name: "trace_recovery_messages", Last: "16", Major: 16, To: "log_min_messages",
		How: "log_min_messages also applies to recovery."},
	{Name: "lc_collate", Last: "15", Major: 15,
		How: "It only showed what CREATE DATABASE had fixed. Use SELECT datcollate FROM pg_database; instead."},
	{Name: "lc_ctype", Last: "15", Major: 15,
		How: "It only showed what CREATE DATABASE had fixed. Use SELECT datctype FROM pg_database; instead."},
	{Name: "io_workers", Last: "18", Major: 18, To: "io_max_workers",
		Same: true,
		How: "In 19, workers start on demand, from io_min_workers to io_max_workers. Use the old value for " +
			"io_max_workers."},
	{Name: "escape_string_warning", Last: "18", Major: 18,
		How: "In 19, a backslash in a plain string is always an ordinary character. Write E'…' for strings with " +
			"escapes."},
	{Name: "default_with_oids", Last: "11", Major: 11, How: "In 12 and later, tables have no OIDs. Remove the line."},
	{Name: "sql_inheritance", Last: "9.6", Major: 9,
		How: "In 10 and later, it is always on. Write ONLY to exclude child tables."},
	{Name: "min_parallel_relation_size", Last: "9.6", Major: 9, To: "min_parallel_table_scan_size",
		Same: true, How: "The value stays the same."},
	{Name: "replacement_sort_tuples", Last: "10", Major: 10, How: "In 11 and later, sorts do not use it. Remove the " +
		"line."},
	{Name: "unix_socket_directory", Last: "9.2", Major: 9, To: "unix_socket_directories",
		Same: true, How: "The value stays the same. Several directories are separated by commas."},
	{Name: "replication_timeout", Last: "9.2", Major: 9, To: "wal_sender_timeout",
		Same: true, How: "The value stays the same."},
	{Name: "krb_srvname", Last: "9.3", Major: 9,
		How: "Use GSSAPI. The service name is the connection parameter krbsrvname of the client."},
	{Name: "custom_variable_classes", Last: "9.1", Major: 9,
		How: "In 9.2 and later, module parameters need no declaration. Remove the line."},
	{Name: "silent_mode", Last: "9.1", Major: 9,
		How: "pg_ctl or the service manager runs the server in the background. Remove the line."},
	{Name: "max_fsm_pages", Last: "8.3", Major: 8,
		How: "In 8.4 and later, the free space map is on disk and needs no size. Remove the line."},
	{Name: "max_fsm_relations", Last: "8.3", Major: 8,
		How: "In 8.4 and later, the free space map is on disk and needs no size. Remove the line."},
	{Name: "add_missing_from", Last: "8.4", Major: 8, How: "Queries must name every table in FROM. Remove the line."},
	{Name: "regex_flavor", Last: "8.4", Major: 8,
		How: "In 9.0 and later, regular expressions always use the advanced flavor. Remove the line."},
	{Name: "redirect_stderr", Last: "8.2", Major: 8, To: "logging_collector", Same: true,
		How: "The value stays the same."},
	{Name: "stats_start_collector", Last: "8.2", Major: 8, To: "track_counts",
		How: "Statistics are always collected. Remove the line."},
	{Name: "stats_row_level", Last: "8.2", Major: 8, To: "track_counts", Same: true,
		How: "The value stays the same."},
	{Name: "stats_block_level", Last: "8.2", Major: 8, To: "track_counts", Same: true,
		How: "The value stays the same."},
	{Name: "stats_command_string", Last: "8.2", Major: 8, To: "track_activities",
		Same: true, How: "The value stays the same."},
	{Name: "bgwriter_lru_percent", Last: "8.2", Major: 8, To: "bgwriter_lru_multiplier",
		How: "The values are not comparable. Keep the default."},
	{Name: "bgwriter_all_percent", Last: "8.2", Major: 8,
		How: "In 8.3 and later, checkpoints spread their writes. Remove the line."},
	{Name: "bgwriter_all_maxpages", Last: "8.2", Major: 8,
		How: "In 8.3 and later, checkpoints spread their writes. Remove the line."},
	{Name: "preload_libraries", Last: "8.1", Major: 8, To: "shared_preload_libraries",
		Same: true, How: "The value stays the same."},
}

// Value is what replaces a value of the old name, where that is a matter of arithmetic; ok is false for any other.
func (g Gone) Value(old string) (value string, ok bool) {
	const segment, most = 16, 1 << 24 // MB of WAL, by initdb's default
	n, err := strconv.ParseInt(strings.TrimSpace(old), 10, 64)
	if err != nil || n <= 0 || n > most {
		return "", false
	}
	switch g.Name {
	case "wal_keep_segments":
		n *= segment
	case "checkpoint_segments":
		n *= 3 * segment
	default:
		return "", false
	}
	if n%1024 == 0 {
		return fmt.Sprintf("%dGB", n/1024), true
	}
	return fmt.Sprintf("%dMB", n), true
}

// GoneBy returns what became of a parameter that a major version no longer has;
// ok is false for names that it has, or that no known version had.
func GoneBy(major int, name string) (g Gone, ok bool) {
	for _, g := range gone {
		if strings.EqualFold(g.Name, name) && g.Major < major {
			return g, true
		}
	}
	return Gone{}, false
}

// Takes says whether the major version still accepts the old name for the new one.
func (g Gone) Takes(major int) bool { return g.AliasOf && major >= g.From }

// Since returns the first major version of the table that has a parameter which
// the given one does not have yet.
func Since(major int, name string) (first int, ok bool) {
	for _, m := range Covered() {
		if m > major {
			if _, ok := Find(m, name); ok {
				return m, true
			}
		}
	}
	return 0, false
}

// unseen are parameters that a file may set but pg_settings never shows.
var unseen = []Param{
	{Name: "default_with_oids", Type: "bool", Context: "user", Boot: "off"},
	{Name: "role", Type: "string", Context: "user"},
	{Name: "session_authorization", Type: "string", Context: "user"},
	{Name: "seed", Type: "real", Context: "user", Min: "-1", Max: "1"},
	{Name: "ssl_renegotiation_limit", Type: "integer", Context: "user", Min: "0", Max: "0"},
	{Name: "is_superuser", Type: "bool", Context: "internal"},
}

// index finds the spelling of a name in the table by its lower case.
var index = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, f := range slices.Concat(table(), preview()) {
		m[strings.ToLower(f.Name)] = f.Name
	}
	return m
})

// Find is Lookup by a name as a file has it: case-insensitive, with parameters that
// pg_settings never shows, and with old names that the version still accepts (Name is
// then the new one).
func Find(major int, name string) (Param, bool) {
	low := strings.ToLower(name)
	if p, ok := Lookup(major, index()[low]); ok {
		return p, true
	}
	if !Covers(major) {
		return Param{}, false
	}
	for _, p := range unseen {
		if p.Name == low {
			return p, true
		}
	}
	if g, ok := GoneBy(major, low); ok && g.Takes(major) {
		return Lookup(major, g.To)
	}
	return Param{}, false
}
