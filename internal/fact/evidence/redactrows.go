package evidence

import (
	"bytes"
	"encoding/json"
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
	"kept": relationName, "owner_table": relationName, "owner_column": word,
	"slot_name": slotName, "application_name": appName, "client_addr": addressName, "client_hostname": hostName,
}

// safeColumns hold words of the server, numbers or versions.
var safeColumns = set(`unit vartype context source min_val max_val enumvals boot_val state sync_state slot_type wal_status
	backend_type object extname extversion default_version compiled spcoptions kind
	type method reach parameter`)

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
		case "dataDirectory":
			if port, ok := strings.CutPrefix(v, "port "); ok && strings.Trim(port, "0123456789") == "" {
				return v // in the peaks of a history, of an instance whose data directory nobody could see
			}
			return r.path(v)
		case "path", "socketDir", "binDir", "statsDirectory", "unit", "name", "below", "manager":
			return r.path(v)
		case "key", "tool", "machine", "role", "device", "kind", "driver", "mode", "method", "instance", "tablespace", "schema":
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
	case col == "library":
		return r.libraries(v)
	case col == "location" || col == "sourcefile":
		return r.path(v)
	case file == "deep_visits.json" && (col == "reason" || col == "reveal"):
		return r.prose(v)
	case file == "deep_visits.json" && col == "query":
		return v // the name of an answer
	case safeColumns[col], plainValue(v):
		return v
	}
	return Redacted
}
