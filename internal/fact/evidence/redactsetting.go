package evidence

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/shell"
)

// param redacts the name of a parameter that a user defined: one with a dot whose first part is no module of
// PostgreSQL.
func (r *redactor) param(name string) string {
	module, _, dot := strings.Cut(name, ".")
	if !dot || modules[module] {
		return name
	}
	return r.name(paramName, strings.ToLower(name)) // the server ignores case
}

// ownParam reports whether the defaults of a parameter are user-defined, too.
func (r *redactor) ownParam(name string) bool {
	return r.param(name) != name || strings.HasPrefix(name, string(paramName)) && r.ours(name)
}

var modules = set(
	`auto_explain pg_stat_statements pg_prewarm pg_trgm plpgsql plperl pltcl pltclu plpython pg_hint_plan pg_cron
	pgaudit timescaledb pg_wait_sampling pg_qualstats pg_stat_kcache pg_store_plans postgres_fdw auth_delay ` +
		`basic_archive passwordcheck sepgsql
	basebackup_to_shell isn`)

// setting redacts the value of a parameter. Numbers, switches and choices stay; a free text stays when it is empty, the
// built-in default, or one that the server wrote; of lists and of texts with names in them the form stays, as judgment
// reads it. wrong says that the server refused the value: then it may be anything.
func (r *redactor) setting(name, v string, p setting, wrong bool) string {
	name = strings.ToLower(name)
	switch {
	case v == "", v == "(disabled)", v == "(hidden)", v == Redacted,
		p.vartype != "" && v == p.boot && !r.ownParam(name):
		return v
	case textSettings[name] != nil: // before what is plain: a tablespace may be called none
		return textSettings[name](r, v)
	case plainValue(v):
		return v
	case p.vartype != "" && p.vartype != "string":
		if r.ownParam(name) { // its choices are user-defined too, and are redacted in the same row
			p.enum = ""
		}
		if typed(v, p) {
			return v
		}
		return Redacted
	case safeTexts[name] && !wrong:
		return v
	}
	return Redacted
}

// amountOf finds the numbers that the server takes, with or without its units.
var amountOf = regex.New(
	`^\s*[+-]?(0[xX][0-9a-fA-F]{1,16}|[0-9]{0,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,4})?)\s*(B|kB|MB|GB|TB|us|ms|s|min|` +
		`h|d)?\s*$`)

// typed reports whether a value is of the type of its parameter, in any spelling that the server takes; any other value
// only shows the judges that it is not.
func typed(v string, p setting) bool {
	low := strings.ToLower(v)
	switch p.vartype {
	case "integer", "real":
		return amountOf.MatchString(v)
	case "enum":
		for w := range strings.SplitSeq(strings.ToLower(strings.Trim(p.enum, "{}")), ",") {
			if low == strings.Trim(w, `"`) {
				return true
			}
		}
		return boolean(low) || enumWords[low]
	case "bool":
		return boolean(low)
	}
	return false
}

// enumWords are values that enums accept in addition to those they list, or only in some builds.
var enumWords = set(`debug pglz lz4 zstd io_uring`)

// boolean reports whether a text is a beginning of a truth value, as the server takes it.
func boolean(low string) bool {
	for _, w := range []string{"true", "false", "yes", "no", "on", "off", "1", "0"} {
		if low != "" && strings.HasPrefix(w, low) {
			return true
		}
	}
	return false
}

// safeTexts are parameters of text whose values are the server's own words.
var safeTexts = set(
	`server_version server_encoding client_encoding log_destination lc_collate lc_ctype lc_messages lc_monetary
	lc_numeric lc_time datestyle wal_consistency_checking debug_io_direct wal_compression huge_pages_status
	restrict_nonsystem_relation_kind recovery_target_timeline log_min_messages log_connections createrole_self_grant ` +
		`timezone_abbreviations`)

// archiveCommand keeps a command that archives nothing; behind the REM of Windows any text may stand.
func archiveCommand(_ *redactor, v string) string {
	switch {
	case !shell.OnlySucceeds(v) && !plainValue(v):
		return Redacted
	case strings.HasPrefix(strings.ToLower(strings.TrimSpace(v)), "rem"):
		return "REM"
	}
	return v
}

// textSettings redact the texts of parameters that hold names, paths, addresses.
var textSettings = map[string]func(*redactor, string) string{
	"listen_addresses": func(r *redactor, v string) string {
		return listed(v, func(s string) string {
			if s == "*" {
				return s
			}
			return r.host(s)
		})
	},
	"archive_command":            archiveCommand,
	"synchronous_standby_names":  (*redactor).standbys,
	"log_line_prefix":            (*redactor).linePrefix,
	"log_filename":               (*redactor).linePrefix,
	"shared_preload_libraries":   (*redactor).libraries,
	"session_preload_libraries":  (*redactor).libraries,
	"local_preload_libraries":    (*redactor).libraries,
	"archive_library":            (*redactor).libraries,
	"jit_provider":               (*redactor).libraries,
	"oauth_validator_libraries":  (*redactor).libraries,
	"output_plugin_libraries":    (*redactor).libraries,
	"dynamic_library_path":       (*redactor).path,
	"extension_control_path":     (*redactor).path,
	"data_directory":             (*redactor).path,
	"config_file":                (*redactor).path,
	"hba_file":                   (*redactor).path,
	"ident_file":                 (*redactor).path,
	"hosts_file":                 (*redactor).path,
	"external_pid_file":          (*redactor).path,
	"log_directory":              (*redactor).path,
	"stats_temp_directory":       (*redactor).path,
	"unix_socket_directories":    (*redactor).path,
	"unix_socket_group":          (*redactor).path,
	"promote_trigger_file":       (*redactor).path,
	"ssl_ca_file":                (*redactor).path,
	"ssl_cert_file":              (*redactor).path,
	"ssl_crl_dir":                (*redactor).path,
	"ssl_crl_file":               (*redactor).path,
	"ssl_dh_params_file":         (*redactor).path,
	"ssl_key_file":               (*redactor).path,
	"krb_server_keyfile":         (*redactor).path,
	"temp_tablespaces":           names(tablespaceName),
	"default_tablespace":         names(tablespaceName),
	"search_path":                names(schemaName),
	"synchronized_standby_slots": names(slotName),
	"primary_slot_name":          names(slotName),
	"cluster_name":               func(r *redactor, v string) string { return r.name(appName, v) },
	"application_name":           func(r *redactor, v string) string { return r.name(appName, v) },
}

// listed redacts each of a list's elements, without the quotes that may be
// around one. Blanks between them stay.
func listed(v string, each func(string) string) string {
	parts := strings.Split(v, ",")
	for i, p := range parts {
		s := strings.Trim(strings.TrimSpace(p), `"`)
		lead := p[:len(p)-len(strings.TrimLeft(p, " \t\n"))]
		if s != "" {
			parts[i] = lead + each(s)
		}
	}
	return strings.Join(parts, ",")
}

func names(c class) func(*redactor, string) string {
	return func(r *redactor, v string) string {
		return listed(v, func(s string) string { return r.name(c, s) })
	}
}

// standbyWord finds what synchronous_standby_names is made of: a quoted name, or
// a word; standbyList what the server takes of it, and the empty list.
var (
	standbyWord = regex.New(standbyName)
	standbyName = `(?:"(?:[^"]|"")*"|[^\s(),"]+)`
	standbys    = `(?:` + standbyName + `(?:\s*,\s*` + standbyName + `)*)?`
	standbyList = regex.New(`(?i)^\s*(?:(?:(?:first|any)\s+)?[0-9]+\s*\(\s*` + standbys + `\s*\)|` +
		standbys + `)\s*$`)
)

// standbys redacts the names in synchronous_standby_names. How many have to
// confirm, in which way, and that any may (*), stays.
func (r *redactor) standbys(v string) string {
	if !standbyList.MatchString(v) {
		return Redacted
	}
	count := true // a number at the beginning, or behind FIRST or ANY, is no name
	return standbyWord.ReplaceAllStringFunc(v, func(w string) string {
		low := strings.ToLower(w)
		wasCount := count
		count = low == "first" || low == "any"
		switch {
		case count || w == "*" || w == `"*"`, wasCount && strings.Trim(w, "0123456789") == "":
			return w
		}
		p := r.name(appName, strings.NewReplacer(`""`, `"`, "*", "").Replace(strings.Trim(w, `"`)))
		if strings.Contains(w, "*") { // within a name, where it is literal
			p = `"` + p + `*"`
		} else if p == "" {
			p = `""` // as it was: without the quotes it is no list
		}
		return p
	})
}

// libraries keeps the libraries that are public, whatever directory they are in.
func (r *redactor) libraries(v string) string {
	return listed(v, func(l string) string {
		var b strings.Builder
		for i, part := range strings.SplitAfter(l, "/") {
			bare := strings.TrimSuffix(strings.TrimSuffix(part, "/"), ".so")
			if publicLibrary(bare) || i == 0 && bare == "$libdir" {
				b.WriteString(part)
				continue
			}
			b.WriteString(r.path(part))
		}
		return b.String()
	})
}

func publicLibrary(l string) bool { return modules[l] || publicExtensions[l] }

// publicExtensions are the modules and extensions in common use, in addition to those with parameters.
var publicExtensions = set(
	`adminpack amcheck auto_explain autoinc basic_archive bloom btree_gin btree_gist citext cube dblink dict_int ` +
		`dict_xsyn earthdistance
	file_fdw fuzzystrmatch hstore hstore_plperl hstore_plpython3u insert_username intagg intarray isn jsonb_plperl ` +
		`jsonb_plpython3u lo ltree ltree_plpython3u moddatetime
	old_snapshot pageinspect pg_buffercache pg_freespacemap pg_logicalinspect pg_overexplain pg_prewarm ` +
		`pg_stat_statements pg_surgery pg_trgm pg_visibility pg_walinspect pgcrypto
	pgrowlocks pgstattuple plperl plperlu plpgsql plpython3u pltcl pltclu postgres_fdw refint seg sepgsql sslinfo ` +
		`tablefunc tcn test_decoding tsm_system_rows tsm_system_time
	unaccent uuid-ossp uuid_ossp xml2 pgoutput libpqwalreceiver llvmjit mchar fulleq fasttrun dbcopies_decoding
	address_standardizer age anon citus citus_columnar cstore_fdw h3 hll hypopg ip4r jsquery mysql_fdw ` +
		`online_analyze oracle_fdw orafce pg_background pg_bigm pg_cron pg_failover_slots
	pg_hint_plan pg_ivm pg_jsonschema pg_partman pg_partman_bgw pg_permissions pg_profile pg_qualstats pg_rational ` +
		`pg_repack pg_similarity pg_squeeze pg_stat_kcache pg_stat_monitor
	pg_stat_plans pg_store_plans pg_wait_sampling pgaudit pgauditlogtofile pgagent pglogical pgmemcache pgmq ` +
		`pgnodemx pgpool_adm pgq pgrouting pgsodium pgtap plantuner pljava plproxy plr plv8
	plpgsql_check pointcloud postgis postgis_raster postgis_sfcgal postgis_tiger_geocoder postgis_topology powa ` +
		`prefix rdkit repmgr rum safeupdate semver set_user sequential_uuids
	shared_ispell supautils supabase_vault tds_fdw temporal_tables timescaledb timescaledb_toolkit toastinfo vector ` +
		`vectorscale wal2json walminer decoderbufs xicor zhparser zombodb
	passwordcheck auth_delay pg_tde pg_net pg_graphql pg_duckdb pgtt credcheck login_hook logerrors pgextwlist mchar ` +
		`fulleq fasttrun dbms_stats system_stats edb_wait_states bdr`)

// linePrefix keeps the escapes of log_line_prefix and the words that go with them.
func (r *redactor) linePrefix(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); {
		j := i
		if v[i] == '%' {
			for j++; j < len(v)-1 && (v[j] == '-' || v[j] >= '0' && v[j] <= '9'); j++ {
			}
			if j < len(v) && v[j] >= utf8.RuneSelf { // no escape, and not the whole of a character
				b.WriteString("%%") // what follows is redacted, and may then begin with the letter of an escape
			} else {
				j = min(j+1, len(v))
				b.WriteString(v[i:j])
			}
		} else {
			for j++; j < len(v) && v[j] != '%'; j++ {
			}
			b.WriteString(r.path(v[i:j]))
		}
		i = j
	}
	return b.String()
}

// plainValue reports whether a value is a number, with or without a unit of PostgreSQL, a truth value or a position in
// the WAL.
func plainValue(v string) bool {
	switch v {
	case "", "t", "f", "on", "off", "true", "false", "yes", "no", "none", "default", "auto":
		return true
	}
	if amountOf.MatchString(v) && strings.ContainsAny(v, "0123456789") {
		return true
	}
	hi, lo, ok := strings.Cut(v, "/")
	_, err1 := strconv.ParseUint(hi, 16, 32)
	_, err2 := strconv.ParseUint(lo, 16, 32)
	return ok && err1 == nil && err2 == nil
}
