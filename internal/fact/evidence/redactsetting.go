package evidence

import (
	"strconv"
	"strings"
)

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
