package experiment

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Why a scratch instance cannot hold a setting.
const (
	whyPlace    say.Template = "it names a place of another instance"
	whyNetwork  say.Template = "a scratch instance listens on a private socket alone"
	whyLog      say.Template = "the log of a scratch instance is the experiment's own"
	whyReplica  say.Template = "a scratch instance has neither a primary nor standbys"
	whyArchive  say.Template = "a scratch instance archives nothing"
	whyInitdb   say.Template = "initdb or the build decides it"
	whyLocale   say.Template = "the locale of a scratch cluster is C"
	whyRecovery say.Template = "it is for recovery alone"
	whySpace    say.Template = "a scratch cluster has no tablespaces"
	whyClient   say.Template = "each connection of the load says its own"
	whyLibrary  say.Template = "a scratch instance loads libraries by name alone, unless they are written on the " +
		"command line"
	whyText say.Template = "a text of a library's own may be a program: it is taken from the command line alone"
)

var omittedSettings = map[say.Template][]string{
	whyPlace: {"data_directory", "config_file", "hba_file", "ident_file", "external_pid_file", "dynamic_library_path",
		"stats_temp_directory", "krb_server_keyfile", "extension_control_path"},
	whyNetwork: {"listen_addresses", "port", "unix_socket_directories", "unix_socket_group", "unix_socket_permissions",
		"bonjour", "bonjour_name",
		"authentication_timeout", "password_encryption", "oauth_validator_libraries", "db_user_namespace"},
	whyLog: {"logging_collector", "log_destination", "log_directory", "log_filename", "log_file_mode",
		"log_rotation_age", "log_rotation_size", "log_truncate_on_rotation",
		"syslog_facility", "syslog_ident", "syslog_sequence_numbers", "syslog_split_messages", "event_source",
		"log_timezone", "log_line_prefix"},
	whyReplica: {"primary_conninfo", "primary_slot_name", "synchronous_standby_names", "synchronized_standby_slots",
		"hot_standby", "hot_standby_feedback", "promote_trigger_file",
		"recovery_min_apply_delay", "sync_replication_slots", "vacuum_defer_cleanup_age", "cluster_name"},
	whyArchive: {"archive_mode", "archive_command", "archive_library", "archive_timeout", "archive_cleanup_command",
		"summarize_wal"},
	whyRecovery: {"restore_command", "recovery_end_command"},
	whyInitdb: {"block_size", "wal_block_size", "wal_segment_size", "segment_size", "data_checksums", "server_version",
		"server_version_num", "server_encoding", "max_function_args",
		"max_identifier_length", "max_index_keys", "debug_assertions", "integer_datetimes", "in_hot_standby",
		"data_directory_mode", "ssl_library", "huge_pages_status",
		"shared_memory_size", "shared_memory_size_in_huge_pages", "num_os_semaphores", "transaction_isolation",
		"transaction_read_only", "transaction_deferrable"},
	whyLocale: {"default_text_search_config"},
	whyClient: {"client_encoding", "application_name"},
	whySpace:  {"default_tablespace", "temp_tablespaces"},
}

// omittedFamilies are omitted by the beginning of their names.
var omittedFamilies = map[string]say.Template{"ssl": whyNetwork, "recovery_target": whyRecovery, "lc_": whyLocale,
	"krb_": whyNetwork, "gss_": whyNetwork}

// cannotHold says why a scratch instance does without a setting; "": it takes it.
func cannotHold(name string) say.Template {
	for why, names := range omittedSettings {
		if slices.Contains(names, name) {
			return why
		}
	}
	for prefix, why := range omittedFamilies {
		if strings.HasPrefix(name, prefix) {
			return why
		}
	}
	return ""
}
