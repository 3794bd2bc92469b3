package params

import "strings"

// modules holds the parameters of the modules that come with the server, of all
// versions together: any other name in a file is an error. The servers tier
// compares it with what the modules of 13 to 18 define; two are of 19.
var modules = map[string]string{
	"auth_delay": "milliseconds",
	"auto_explain": "log_analyze log_buffers log_format log_level log_min_duration log_nested_statements " +
		"log_parameter_max_length log_settings log_timing log_triggers log_verbose log_wal sample_rate " +
		"log_extension_options log_io",
	"basebackup_to_shell": "command required_role",
	"basic_archive":       "archive_directory",
	"isn":                 "weak",
	"passwordcheck":       "min_password_length",
	"pg_prewarm":          "autoprewarm autoprewarm_interval",
	"pg_stat_statements":  "max track track_utility track_planning save",
	"pg_trgm":             "similarity_threshold strict_word_similarity_threshold word_similarity_threshold",
	"plperl":              "on_init on_plperl_init on_plperlu_init use_strict",
	"plpgsql":             "check_asserts extra_errors extra_warnings print_strict_params variable_conflict",
	"pltcl":               "start_proc",
	"pltclu":              "start_proc",
	"postgres_fdw":        "application_name",
	"sepgsql":             "debug_audit permissive",
}

// OfModule returns the full names of the parameters of a module that comes with
// the server; none for one that is not known.
func OfModule(prefix string) []string {
	var out []string
	for _, n := range strings.Fields(modules[strings.ToLower(prefix)]) {
		out = append(out, strings.ToLower(prefix)+"."+n)
	}
	return out
}

// Modules returns the prefixes that OfModule knows.
func Modules() []string {
	var out []string
	for m := range modules {
		out = append(out, m)
	}
	return out
}
