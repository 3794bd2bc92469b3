package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// setting is a line of pg_settings.
type setting struct {
	name, value, unit, kind, source string
	pending                         bool // pending_restart
}

// places are parameters that say where a server lies, whom it talks to and where
// it logs. A scratch instance has its own, and an arm that set them would either
// not be what was measured or reach out of the scratch folder.
var places = []string{
	"data_directory", "config_file", "hba_file", "ident_file", "external_pid_file", "listen_addresses", "port",
	"unix_socket_directories", "unix_socket_group", "unix_socket_permissions", "logging_collector", "log_destination", "log_directory", "log_filename",
	"archive_mode", "archive_command", "archive_library", "archive_cleanup_command", "restore_command", "recovery_end_command",
	"primary_conninfo", "primary_slot_name", "ssl", "bonjour", "stats_temp_directory",
}

// allowed refuses an arm that a scratch instance cannot have.
func allowed(label string, c Config) error {
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if slices.Contains(places, strings.ToLower(name)) {
			return &say.Problem{Message: fmt.Sprintf("arm %s sets %s, which a scratch instance has its own of", label, name),
				Hint: "leave the parameter out: both arms run in private folders, on private sockets, without archiving", Code: say.CodeUsage}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Kernel)) {
		if !slices.Contains(kernelValues, name) {
			return &say.Problem{Message: fmt.Sprintf("arm %s sets %s, which an experiment does not change", label, name),
				Hint: "of the kernel an experiment changes " + strings.Join(kernelValues, ", ") + " and the pool of huge pages", Code: say.CodeUsage}
		}
	}
	if c.HugePages < 0 || c.HugePages > mostPages {
		return &say.Problem{Message: fmt.Sprintf("arm %s wants a pool of %d huge pages", label, c.HugePages), Code: say.CodeUsage}
	}
	return nil
}

// document is an arm as the result tells it.
func (c Config) document() experiment.MeasuredConfiguration {
	a := experiment.MeasuredConfiguration{Name: c.Name, Settings: []experiment.Setting{}}
	for name, v := range c.Settings {
		a.Settings = append(a.Settings, experiment.Setting{Address: "pg:" + name, Value: v})
	}
	for name, v := range c.Kernel {
		a.Settings = append(a.Settings, experiment.Setting{Address: name, Value: v})
	}
	if c.Reconnect {
		a.Settings = append(a.Settings, experiment.Setting{Address: "client:reconnect", Value: "on"})
	}
	if c.HugePages > 0 {
		a.Settings = append(a.Settings, experiment.Setting{Address: poolName, Value: "+" + strconv.FormatInt(c.HugePages, 10)})
	}
	slices.SortFunc(a.Settings, func(x, y experiment.Setting) int { return strings.Compare(x.Address, y.Address) })
	return a
}

// verify holds that a server has every value of an arm. The error names the
// first that it has not.
func verify(label string, want map[string]string, have []setting) error {
	by := map[string]setting{}
	for _, s := range have {
		by[strings.ToLower(s.name)] = s
		if s.pending {
			return wrong(label, s.name, "waits for a restart (pending_restart) right after the start")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		s, ok := by[strings.ToLower(name)]
		if !ok {
			return wrong(label, name, "is no parameter of this server")
		}
		if !same(s, want[name]) {
			return wrong(label, name, fmt.Sprintf("is %q where %q was set (source: %s)", strings.TrimSpace(s.value+" "+s.unit), want[name], s.source))
		}
	}
	return nil
}

func wrong(label, name, what string) error {
	return &say.Problem{Message: fmt.Sprintf("the server of arm %s does not have the settings of the arm", label), Detail: name + " " + what,
		Hint: "nothing was measured under other settings than those asked for; correct the value, or leave it out", Code: say.CodeError}
}

// same says whether a value in pg_settings is the one that a file spelled.
func same(s setting, want string) bool {
	want = strings.TrimSpace(want)
	switch s.kind {
	case "bool":
		on, ok := boolean(want)
		return ok && s.value == on
	case "enum":
		// An enum may have other names for a value («on» of wal_compression is pglz in
		// 15 and later): then the source tells that the file was obeyed.
		return strings.EqualFold(s.value, want) || fromFile(s) && synonym(s.name, want)
	case "integer", "real":
		read := unit.ParseGUC
		if s.kind == "integer" {
			read = unit.ParseInteger
		}
		w, err := read(want, s.unit)
		h, err2 := unit.Figure(s.value)
		if err != nil || err2 != nil {
			return false
		}
		if w == h {
			return true
		}
		// -1 asks the server to choose, and pg_settings shows what it chose.
		return w == -1 && s.source != "configuration file" || s.kind == "integer" && fromFile(s) && w-h < 1 && h-w < 1
	}
	// A few texts are spelled anew: initdb writes «iso, mdy», and «ISO, MDY» is shown.
	return s.value == want || fromFile(s) && slices.Contains([]string{"datestyle", "timezone"}, strings.ToLower(s.name))
}

func fromFile(s setting) bool { return s.source == "configuration file" }

// synonym says whether an enum takes a word of a boolean for one of its values.
func synonym(name, want string) bool {
	_, ok := boolean(want)
	return ok && slices.Contains([]string{"wal_compression", "huge_pages", "synchronous_commit", "backslash_quote", "constraint_exclusion", "compute_query_id", "plan_cache_mode", "recovery_prefetch", "debug_parallel_query", "force_parallel_mode", "client_min_messages", "xmloption"}, strings.ToLower(name))
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
	"huge_pages_status", // what «try» came to, which is told by the page tables
	"server_version", "transaction_isolation", "transaction_read_only", "transaction_deferrable",
}

// hash is over all settings of a server: the same for every start of an arm.
func hash(all []setting) string {
	var lines []string
	for _, s := range all {
		if !slices.Contains(unhashed, s.name) {
			lines = append(lines, s.name+"="+s.value)
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
