package evidence

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// answer is the form of a query's answer.
type answer struct {
	Columns []string    `json:"columns"`
	Rows    [][]*string `json:"rows"`
}

// nameColumns tells the class of the names in a column.
var nameColumns = map[string]class{
	"datname": dbName, "database": dbName, "rolname": roleName, "usename": roleName, "role": roleName, "owner": roleName,
	"spcname": tablespaceName, "nspname": schemaName, "schemaname": schemaName, "relname": relationName, "indexrelname": relationName,
	"slot_name": slotName, "application_name": appName, "client_addr": addressName, "client_hostname": hostName,
}

// safeColumns hold words of the server, numbers or versions.
var safeColumns = set(`unit vartype context source min_val max_val enumvals boot_val state sync_state slot_type wal_status
	backend_type object extname extversion default_version compiled spcoptions kind`)

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

// value redacts what the collector wrote, by the key it stands under. Numbers
// and truth values stay.
func (r *redactor) value(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if n, ok := v["name"].(string); ok && key == "settings" { // a shmem question's setting
			v["name"] = r.param(n)
			if s, ok := v["value"].(string); ok {
				v["value"] = r.setting(n, s, setting{})
			}
			return v
		}
		for k, e := range v {
			v[k] = r.value(k, e)
		}
		return v
	case []any:
		for i, e := range v {
			v[i] = r.value(key, e)
		}
		return v
	case string:
		switch key {
		case "path", "dataDirectory", "socketDir", "binDir", "unit", "name", "below", "manager":
			return r.path(v)
		case "key", "tool", "machine", "role", "device", "kind", "driver", "mode", "method", "instance", "tablespace":
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
type setting struct{ vartype, boot string }

// settingsOf reads the parameters of the instance that an entry belongs to.
func (r *redactor) settingsOf(name string, a *Archive) map[string]setting {
	var ans answer
	dir := name[:strings.LastIndexByte(name, '/')+1]
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
		out[get("name")] = setting{get("vartype"), get("boot_val")}
	}
	return out
}

func (r *redactor) rows(file string, ans answer, params map[string]setting) {
	nameAt := -1
	for i, c := range ans.Columns {
		if c == "name" {
			nameAt = i
		}
	}
	for _, row := range ans.Rows {
		param := ""
		if nameAt >= 0 && nameAt < len(row) && row[nameAt] != nil {
			param = *row[nameAt]
		}
		for i, v := range row {
			if v != nil && i < len(ans.Columns) {
				t := r.cell(file, ans.Columns[i], *v, param, params)
				row[i] = &t
			}
		}
	}
}

func (r *redactor) cell(file, col, v, param string, params map[string]setting) string {
	if c, ok := nameColumns[col]; ok {
		if p, ok := r.address(v); ok && c == addressName {
			return p
		}
		return r.name(c, v)
	}
	switch {
	case col == "setting", col == "boot_val":
		return r.setting(param, v, params[param])
	case col == "name" && file == "shmem.json":
		return v // parts that the server's and the extensions' code names
	case col == "name":
		return r.param(v)
	case col == "location" || col == "sourcefile":
		return r.path(v)
	case safeColumns[col], plainValue(v):
		return v
	}
	return Redacted
}

// param redacts the name of a parameter that somebody made up: one with a dot
// whose first part is no module of PostgreSQL.
func (r *redactor) param(name string) string {
	module, _, dot := strings.Cut(name, ".")
	if !dot || modules[module] {
		return name
	}
	return r.name(paramName, name)
}

var modules = set(`auto_explain pg_stat_statements pg_prewarm pg_trgm plpgsql plperl pltcl plpython pg_hint_plan pg_cron
	pgaudit timescaledb pg_wait_sampling pg_qualstats pg_stat_kcache pg_store_plans postgres_fdw auth_delay basic_archive passwordcheck sepgsql`)

// setting redacts the value of a parameter. Numbers, switches and choices stay;
// a free text stays when it is empty, the built-in default, one that the server
// wrote, or one of the few texts that hold no name.
func (r *redactor) setting(name, v string, p setting) string {
	switch {
	case v == "", p.vartype != "" && v == p.boot, v == "(disabled)", v == "(hidden)", v == Redacted, plainValue(v):
		return v
	case p.vartype != "" && p.vartype != "string":
		return v
	case name == "data_directory":
		return r.path(v)
	case name == "log_line_prefix":
		return r.linePrefix(v)
	case name == "shared_preload_libraries" || name == "session_preload_libraries" || name == "local_preload_libraries":
		return r.libraries(v)
	case safeTexts[strings.ToLower(name)]:
		return v
	}
	return Redacted
}

// safeTexts are parameters of text whose values are the server's own words.
var safeTexts = set(`server_version server_encoding client_encoding log_destination lc_collate lc_ctype lc_messages lc_monetary
	lc_numeric lc_time datestyle default_text_search_config wal_consistency_checking debug_io_direct wal_compression huge_pages_status
	restrict_nonsystem_relation_kind recovery_target_timeline jit_provider`)

// libraries keeps the libraries that are public.
func (r *redactor) libraries(v string) string {
	var out []string
	for l := range strings.SplitSeq(v, ",") {
		l = strings.TrimSpace(l)
		if !modules[l] && !strings.HasPrefix(l, "pg_") {
			l = r.path(l)
		}
		out = append(out, l)
	}
	return strings.Join(out, ",")
}

// linePrefix keeps the escapes of log_line_prefix and the words that go with them.
func (r *redactor) linePrefix(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); {
		j := i
		if v[i] == '%' {
			for j++; j < len(v)-1 && (v[j] == '-' || v[j] >= '0' && v[j] <= '9'); j++ {
			}
			j = min(j+1, len(v))
			b.WriteString(v[i:j])
		} else {
			for j++; j < len(v) && v[j] != '%'; j++ {
			}
			b.WriteString(r.path(v[i:j]))
		}
		i = j
	}
	return b.String()
}

// plainValue says whether a value is a number, with or without a unit of
// PostgreSQL, a truth value or a position in the WAL.
func plainValue(v string) bool {
	switch v {
	case "", "t", "f", "on", "off", "true", "false", "yes", "no", "none", "default", "auto":
		return true
	}
	num := strings.TrimRight(v, "kMGTBsminhdu ")
	if _, err := strconv.ParseFloat(num, 64); err == nil && !strings.ContainsAny(num, "xXpPnNiI_") {
		return true
	}
	hi, lo, ok := strings.Cut(v, "/")
	_, err1 := strconv.ParseUint(hi, 16, 32)
	_, err2 := strconv.ParseUint(lo, 16, 32)
	return ok && err1 == nil && err2 == nil
}
