package export

import (
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// cnpgFixed are parameters of the rules, and others that a person may pin, that
// CloudNativePG keeps to itself: its webhook refuses a Cluster that sets one.
// huge_pages was among them once and is free since 1.17.
var cnpgFixed = fixed(`
allow_alter_system allow_system_table_mods archive_cleanup_command archive_command archive_mode bonjour
bonjour_name cluster_name config_file data_directory data_sync_retry event_source external_pid_file
hba_file hot_standby ident_file jit_provider listen_addresses log_destination log_directory log_file_mode
log_filename log_rotation_age log_rotation_size log_truncate_on_rotation logging_collector port
primary_conninfo primary_slot_name promote_trigger_file recovery_end_command recovery_min_apply_delay
recovery_target recovery_target_action recovery_target_inclusive recovery_target_lsn recovery_target_name
recovery_target_time recovery_target_timeline recovery_target_xid restart_after_crash restore_command
ssl ssl_ca_file ssl_cert_file ssl_crl_file ssl_dh_params_file ssl_ecdh_curve ssl_key_file
ssl_passphrase_command ssl_passphrase_command_supports_reload ssl_prefer_server_ciphers
stats_temp_directory synchronized_standby_slots synchronous_standby_names syslog_facility syslog_ident
syslog_sequence_numbers syslog_split_messages temp_tablespaces unix_socket_directories
unix_socket_group unix_socket_permissions`)

func fixed(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

// cnpgLoaded are libraries that the operator preloads by itself as soon as a
// parameter of theirs is set.
var cnpgLoaded = fixed("pg_stat_statements auto_explain pgaudit pg_failover_slots")

var cnpgForm = Form{
	Name: "cnpg", What: "a part of CloudNativePG's Cluster",
	Label: "CloudNativePG", Suffix: ".yml", OneInstance: true, Write: CNPG,
}

// CNPG writes the changes of one instance as the part of a Cluster resource of
// CloudNativePG.
func CNPG(w io.Writer, p document.Plan, s *snapshot.Snapshot, key string) error {
	d := carry(p, s, inPieces)
	list := changesOf(d, key)
	huge, known := hugeNeed(d, s, key)
	if !known {
		list = withoutHuge(list, d, s, key)
	}
	if err := utf8Only("cnpg", list); err != nil {
		return err
	}
	var b strings.Builder
	var free []plan.Change
	var own, preloaded, libraries []string
	for _, c := range list {
		switch name := c.Address.Name(); {
		case name == "shared_preload_libraries":
			for _, l := range conf.SplitList(c.To) {
				if cnpgLoaded[l] {
					preloaded = append(preloaded, l)
				} else {
					libraries = append(libraries, l)
				}
			}
		case cnpgFixed[name]:
			own = append(own, typeset.Clean(name))
		default:
			free = append(free, c)
		}
	}
	head(&b, "#", d, s, key, len(free))
	if len(free) > 0 {
		comment(&b, "#",
			"Merge it into the Cluster with kubectl edit or in its manifest. The operator reloads every instance, "+
				"and restarts them one by one where a parameter needs it.", commentWidth)
	}
	if len(own) > 0 {
		comment(&b, "#", "Left out, as the operator sets it itself: "+strings.Join(own, ", ")+".", commentWidth)
	}
	if len(preloaded) > 0 {
		comment(&b, "#", "Left out, as the operator preloads it once a parameter of it is set: "+
			strings.Join(preloaded, ", ")+".", commentWidth)
	}
	if known {
		comment(&b, "#",
			"First, on every node that may run an instance: the huge pages below, and a restart of the kubelet, "+
				"which reads the pool when it starts. Until a node has them free, a pod with this limit stays Pending.",
			commentWidth)
		d.hugeFirst(&b, "#", s, key, "every node that may run an instance")
	}
	d.leftOut(&b, "#", changeOf(key, true))
	if len(free)+len(libraries) > 0 || known {
		b.WriteString("\nspec:\n")
	}
	if len(free)+len(libraries) > 0 {
		b.WriteString("  postgresql:\n")
	}
	if len(free) > 0 {
		b.WriteString("    parameters:\n")
		yamlParameters(&b, "      ", free)
	}
	if len(libraries) > 0 {
		b.WriteString("    shared_preload_libraries:\n")
		for _, l := range libraries {
			b.WriteString("      - " + yamlString(l) + "\n")
		}
	}
	if known {
		cnpgResources(&b, d, s, key, huge)
	}
	d.spacePart(&b, "#", key)
	hostPart(&b, d, "every node of Kubernetes that may run an instance")
	_, err := io.WriteString(w, b.String())
	return err
}
