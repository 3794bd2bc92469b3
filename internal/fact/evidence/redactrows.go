package evidence

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// answer is the form of a query's answer.
type answer struct {
	Columns []string    `json:"columns"`
	Rows    [][]*string `json:"rows"`
}

// nameColumns is the class of the names in a column.
var nameColumns = map[string]class{
	"datname": dbName, "database": dbName, "rolname": roleName, "usename": roleName, "role": roleName,
	"owner":   roleName,
	"spcname": tablespaceName, "nspname": schemaName, "schemaname": schemaName, "relname": relationName,
	"indexrelname": relationName,
	"kept":         relationName, "owner_table": relationName, "owner_column": word,
	"slot_name": slotName, "application_name": appName, "client_addr": hostName, "client_hostname": hostName,
}

// ownSlots finds the slots that the server names, of subscriptions, and pg_basebackup.
var ownSlots = regex.New(`^(pg_[0-9]{1,10}_sync_[0-9]{1,10}_[0-9]{1,20}|pg_basebackup_[0-9]{1,10})$`)

// safeColumns hold words of the server, numbers or versions.
var safeColumns = set(
	`unit vartype context source min_val max_val enumvals boot_val state sync_state slot_type wal_status
	object compiled spcoptions kind
	type method reach clientcert parameter`)

// document redacts a JSON entry.
func (r *redactor) document(name, last string, data []byte, a *Archive) ([]byte, bool) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	switch {
	case strings.HasPrefix(name, "pg/") && last != "places.json" && last != "shmem_answers.json":
		var ans answer
		if dec.Decode(&ans) != nil || ans.Columns == nil {
			return nil, false
		}
		r.rows(last, ans, r.settingsOf(name, a))
		v = ans
	default:
		if dec.Decode(&v) != nil {
			return nil, false
		}
		if name == "programs.json" {
			v = r.programs(v)
			break
		}
		v = r.value("", v)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil, false
	}
	return b.Bytes(), true
}

// value redacts what the collector wrote, by its key. Numbers and truth values stay.
func (r *redactor) value(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if n, ok := v["name"].(string); ok && key == "settings" { // a shmem question's setting
			v["name"] = r.param(n)
			if s, ok := v["value"].(string); ok {
				v["value"] = r.setting(n, s, setting{}, true)
			}
			return v
		}
		for _, k := range slices.Sorted(maps.Keys(v)) { // numbers follow the order of appearance
			v[k] = r.value(k, v[k])
		}
		return v
	case []any:
		for i, e := range v {
			v[i] = r.value(key, e)
		}
		return v
	case string:
		switch key {
		case "data_directory":
			if port, ok := strings.CutPrefix(v, "port "); ok && strings.Trim(port, "0123456789") == "" {
				return v // in the peaks of a history, of an instance whose data directory could not be seen
			}
			return r.path(v)
		case "extensions", "libraries": // that a server program finds
			if publicLibrary(v) {
				return v
			}
			return r.name(word, v)
		case "path", "socket_dir", "bin_dir", "stats_directory", "unit", "name", "below", "manager", "group":
			return r.path(v)
		case "package":
			if serverPackage.MatchString(v) {
				return v
			}
			return Redacted
		case "key", "tool", "machine", "role", "device", "kind", "driver", "mode", "method", "instance", "tablespace",
			"schema", "place":
			return v
		}
		if v == "" {
			return v
		}
		return Redacted
	}
	return v
}

// setting is what pg_settings says of a parameter.
type setting struct{ vartype, boot, enum string }

// settingsOf reads the parameters of the instance that an entry belongs to.
func (r *redactor) settingsOf(name string, a *Archive) map[string]setting {
	dir := name[:strings.LastIndexByte(name, '/')+1]
	params, ok := r.params[dir]
	if !ok {
		params = readParams(dir, a)
		r.params[dir] = params
	}
	return params
}

func readParams(dir string, a *Archive) map[string]setting {
	var ans answer
	if json.Unmarshal(a.files[dir+"settings.json"], &ans) != nil {
		return nil
	}
	out := map[string]setting{}
	for _, row := range ans.Rows {
		get := func(col string) string {
			for i, c := range ans.Columns {
				if c == col && i < len(row) && row[i] != nil {
					return *row[i]
				}
			}
			return ""
		}
		out[strings.ToLower(get("name"))] = setting{get("vartype"), get("boot_val"), get("enumvals")}
	}
	return out
}

// row is one of an answer's, by the names of its columns.
type row struct {
	file   string
	text   map[string]string
	params map[string]setting
}

func (r *redactor) rows(file string, ans answer, params map[string]setting) {
	for _, vals := range ans.Rows {
		one := row{file, map[string]string{}, params}
		for i, v := range vals {
			if v != nil && i < len(ans.Columns) {
				one.text[ans.Columns[i]] = *v
			}
		}
		for i, v := range vals {
			switch {
			case v == nil:
			case i >= len(ans.Columns): // of a column without a name nothing is known
				vals[i] = nil
			default:
				t := r.cell(one, ans.Columns[i], *v)
				vals[i] = &t
			}
		}
	}
}

// ofServer reports whether a relation is one of the server's own, by its schema.
func (w row) ofServer() bool {
	switch w.text["nspname"] + w.text["schemaname"] {
	case "pg_catalog", "pg_toast", "information_schema":
		return true
	}
	return false
}

func (r *redactor) cell(w row, col, v string) string {
	if c, ok := nameColumns[col]; ok {
		switch {
		case c == hostName:
			return r.host(v)
		case c == relationName && w.ofServer(), c == slotName && ownSlots.MatchString(v):
			return v
		}
		return r.name(c, v)
	}
	param := w.text["name"]
	if _, known := w.params[strings.ToLower(param)]; !known && w.file == "file_settings.json" {
		param = "" // the name goes, and with it what its value may be
	}
	switch {
	case col == "setting", col == "boot_val":
		return r.setting(param, v, w.params[strings.ToLower(param)], w.text["error"] != "")
	case (col == "min_val" || col == "max_val" || col == "enumvals" || col == "unit") && r.ownParam(param) &&
		!plainValue(v):
		return Redacted
	case col == "name" && w.file == "shmem.json":
		return v // parts that the server's and the extensions' code names
	case col == "name" && w.file == "file_settings.json":
		if param == "" && v != "" { // any word of a line that is none
			return r.name(paramName, strings.ToLower(v))
		}
		return r.param(v)
	case col == "name":
		return r.param(v)
	case col == "library":
		return r.libraries(v)
	case col == "detail" && w.file == "upgrade.json" && w.text["kind"] == "slot":
		return r.libraries(v) // a plugin
	case col == "detail" && w.file == "deep_upgrade.json" && w.text["kind"] == "extension":
		if version.MatchString(v) {
			return v
		}
		return r.name(word, v)
	case col == "detail" && (w.file == "upgrade.json" || w.file == "deep_upgrade.json") &&
		w.text["kind"] != "postfix" && w.text["kind"] != "function":
		return v // encodings, providers, types and states of the server
	case col == "extname":
		if publicLibrary(v) {
			return v
		}
		return r.name(word, v)
	case col == "extversion" || col == "default_version":
		if version.MatchString(v) {
			return v
		}
		return r.name(word, v)
	case col == "backend_type":
		if serverProcess.MatchString(v) {
			return v
		}
		return r.path(v) // a worker of an extension names itself
	case col == "location" || col == "sourcefile":
		return r.path(v)
	case w.file == "deep_visits.json" && (col == "reason" || col == "reveal"):
		return r.prose(v)
	case w.file == "deep_visits.json" && col == "query":
		return v // the name of an answer
	case safeColumns[col], plainValue(v):
		return v
	}
	return Redacted
}

var (
	// version finds versions of extensions, without words behind them.
	version = regex.New(`^[0-9]+(\.[0-9]+){0,3}((alpha|beta|rc|dev)[0-9]*)?$`)

	// serverProcess finds the types of the server's own processes.
	serverProcess = regex.New(
		`^((client|standalone|background) backend|background (writer|worker)|archiver|autovacuum ` +
			`(launcher|worker)|checkpointer|logger|startup|` +
			`(parallel|parallel query|logical replication (apply|parallel apply|parallel|tablesync)) worker|logical ` +
			`replication (launcher|worker)|io worker|slotsync worker|` +
			`stats collector|wal(sender|receiver|writer|summarizer)|not initialized)$`)
)
