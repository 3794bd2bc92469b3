package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// places are parameters that set where a server is, what it connects to and where it logs. A scratch instance has its
// own, and a configuration that set them would either not be what was measured or reach out of the scratch directory.
var places = []string{
	"data_directory", "config_file", "hba_file", "ident_file", "external_pid_file", "listen_addresses", "port",
	"unix_socket_directories", "unix_socket_group", "unix_socket_permissions", "logging_collector", "log_destination",
	"log_directory", "log_filename",
	"archive_mode", "archive_command", "archive_library", "archive_cleanup_command", "restore_command",
	"recovery_end_command",
	"primary_conninfo", "primary_slot_name", "ssl", "bonjour", "stats_temp_directory",
}

// allowed refuses a configuration that a scratch instance cannot have.
func allowed(label string, c experiment.Configuration) error {
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if slices.Contains(places, strings.ToLower(name)) {
			return &say.Problem{Message: say.M("configuration {label} sets {name}, which a scratch instance has its "+
				"own of", "label", label, "name", name),
				Hint: say.M("omit the parameter: both configurations run in private directories, on private " +
					"sockets, without archiving"), Code: say.CodeUsage}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Kernel)) {
		if !slices.Contains(kernelValues, string(name)) {
			return &say.Problem{Message: say.M("configuration {label} sets {name}, which an experiment does not change",
				"label", label, "name", string(name)),
				Hint: say.M("of the kernel an experiment changes {kernelValues} and the pool of huge pages",
					"kernelValues", say.Names(kernelValues, 0)), Code: say.CodeUsage}
		}
	}
	if c.HugePages < 0 || c.HugePages > mostPages {
		return &say.Problem{Message: say.M("configuration {label} requires a pool of {hugePages} huge pages", "label",
			label, "hugePages", fmt.Sprint(c.HugePages)),
			Code: say.CodeUsage}
	}
	return nil
}

// verify verifies that a server has every value of a configuration. The error names the first that it has not.
func verify(label string, want map[string]string, have []machine.Setting) error {
	by := map[string]machine.Setting{}
	for _, s := range have {
		by[strings.ToLower(s.Name)] = s
		if s.Pending {
			return wrong(label, s.Name, "waits for a restart (pending_restart) right after the start")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		s, ok := by[strings.ToLower(name)]
		if !ok {
			return wrong(label, name, "is no parameter of this server")
		}
		if !isSetTo(s, want[name]) && !ofSocket(s) {
			return wrong(label, name, fmt.Sprintf("is %q where %q was set (source: %s)",
				strings.TrimSpace(s.Value+" "+s.Unit), want[name], s.Source))
		}
	}
	return nil
}

// ofSockets are parameters that show what the system has for the connection of the session that asks: 0 on a Unix
// socket, over which all is measured, whatever is configured. That the file was read is shown by their source.
var ofSockets = []string{"tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"}

func ofSocket(s machine.Setting) bool {
	return slices.Contains(ofSockets, strings.ToLower(s.Name)) && s.Value == "0" && fromFile(s)
}

func wrong(label, name, what string) error {
	return &say.Problem{Message: say.M("the server of configuration {label} does not have the settings of the "+
		"configuration", "label", label),
		Detail: say.M("{name} {what}", "name", name, "what", what),
		Hint: say.M("nothing was measured under other settings than those asked for; correct the value, or leave " +
			"it out"),
		Code: say.CodeError}
}

// isSetTo reports whether a value in pg_settings is the one that a file spelled.
func isSetTo(s machine.Setting, want string) bool {
	want = strings.TrimSpace(want)
	switch s.Kind {
	case "bool":
		on, ok := boolean(want)
		return ok && s.Value == on
	case "enum":
		// An enum may have other names for a value («on» of wal_compression is pglz in 15 and later): then the source
		// shows that the file was used.
		return strings.EqualFold(s.Value, want) || fromFile(s) && synonym(s.Name, want)
	case "integer", "real":
		read := unit.ParseGUC
		if s.Kind == "integer" {
			read = unit.ParseInteger
		}
		w, err := read(want, s.Unit)
		h, err2 := unit.Figure(s.Value)
		if err != nil || err2 != nil {
			return false
		}
		if w == h {
			return true
		}
		// -1 asks the server to choose, and pg_settings shows what it chose.
		return w == -1 && !fromFile(s) || s.Kind == "integer" && fromFile(s) && w-h < 1 && h-w < 1
	}
	// A few texts are respelled: initdb writes «iso, mdy», and «ISO, MDY» is shown.
	return s.Value == want || fromFile(s) && slices.Contains([]string{"datestyle", "timezone"}, strings.ToLower(s.Name))
}

// fromFile reports whether a value is the configuration's, which a session of an existing database sets itself.
func fromFile(s machine.Setting) bool {
	return s.Source == "configuration file" || s.Source == "client"
}

// synonym reports whether an enum takes a word of a boolean for one of its values.
func synonym(name, want string) bool {
	_, ok := boolean(want)
	return ok && slices.Contains([]string{"wal_compression", "huge_pages", "synchronous_commit", "backslash_quote",
		"constraint_exclusion", "compute_query_id", "plan_cache_mode", "recovery_prefetch", "debug_parallel_query",
		"force_parallel_mode", "client_min_messages", "xmloption"}, strings.ToLower(name))
}

// boolean spells a boolean as pg_settings does. Every unique beginning of a word
// counts (parse_bool_with_len).
func boolean(v string) (string, bool) {
	v = strings.ToLower(v)
	begins := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return v != "" && strings.HasPrefix(w, v) })
	}
	switch {
	case v == "1" || begins("true", "yes") || v == "on":
		return "on", true
	case v == "0" || begins("false", "no") || len(v) > 1 && strings.HasPrefix("off", v):
		return "off", true
	}
	return "", false
}

// unhashed are parameters that differ between copies of one cluster, or that a
// server computes while it runs.
var unhashed = []string{
	"data_directory", "config_file", "hba_file", "ident_file", "unix_socket_directories", "port", "in_hot_standby",
	"huge_pages_status", // what «try» resulted in, as the page tables show
	"server_version", "transaction_isolation", "transaction_read_only", "transaction_deferrable",
}

// hash is over all settings of a server: the same for every start of a configuration.
func hash(all []machine.Setting) string {
	var lines []string
	for _, s := range all {
		if !slices.Contains(unhashed, s.Name) {
			lines = append(lines, s.Name+"="+s.Value)
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
