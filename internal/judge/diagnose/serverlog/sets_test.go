package serverlog

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// TestSessionSettings: the statements of a connection of 1C, and those of pg_dump and a driver, which are no finding.
func TestSessionSettings(t *testing.T) {
	var connection []string
	for _, sql := range []string{"SET client_min_messages=error", "SET lc_messages to 'en_US.UTF-8';",
		"SET enable_mergejoin = off;", "show standard_conforming_strings", "SET standard_conforming_strings = off;",
		"SET escape_string_warning = off;", "SET cpu_operator_cost = 0.001;", "set client_encoding = 'utf8'",
		"SET lock_timeout = 20000;"} {
		connection = append(connection, at("09:00:10", "LOG:  statement: "+sql))
	}
	set := pg.Settings{"enable_mergejoin": {Name: "enable_mergejoin", Value: "on"},
		"work_mem": {Name: "work_mem", Value: "4096", Unit: "kB"}, "jit": {Name: "jit", Value: "off"}}
	r := reported(t, Options{Settings: set}, append(connection, connection...)...)
	want := []SessionSet{{"cpu_operator_cost", "0.001", 2, ""}, {"enable_mergejoin", "off", 2, "on"},
		{"escape_string_warning", "off", 2, ""}, {"lock_timeout", "20000", 2, ""},
		{"standard_conforming_strings", "off", 2, ""}}
	if !slices.Equal(r.SessionSets, want) || !slices.Contains(ids(r), "session_settings") {
		t.Errorf("1C: %v %v", r.SessionSets, ids(r))
	}
	for _, f := range r.Findings {
		if f.ID == "session_settings" && (!strings.Contains(f.Verdict.String(), "5 parameters") || len(f.Do) != 2) {
			t.Errorf("1C: %s %v", f.Verdict, f.Do)
		}
	}
	var dump []string
	for _, sql := range []string{"SET statement_timeout = 0", "SET lock_timeout = 0",
		"SET idle_in_transaction_session_timeout = 0", "SET row_security = off", "SET synchronize_seqscans TO off",
		"SET extra_float_digits = 3", "SET application_name = 'PostgreSQL JDBC Driver'", "SET DateStyle = ISO",
		"SET search_path = tenant_7"} {
		dump = append(dump, at("09:00:10", "LOG:  duration: 0.045 ms  statement: "+sql))
	}
	if r := reported(t, Options{}, dump...); len(r.SessionSets) > 0 {
		t.Errorf("pg_dump: %v", r.SessionSets)
	}
	plan := at("09:00:10", "LOG:  duration: 1203.045 ms  plan:\n\tQuery Text: select 1\n"+
		"\tResult  (cost=0.00..0.01 rows=1 width=4)\n\tSettings: enable_mergejoin = 'off', "+
		"work_mem = '4MB', jit = 'off'")
	r = reported(t, Options{Settings: set}, plan, plan, plan)
	if want := []SessionSet{{"enable_mergejoin", "off", 3, "on"}}; !slices.Equal(r.SessionSets, want) {
		t.Errorf("auto_explain: %v", r.SessionSets)
	}
	if r := reported(t, Options{}, plan, plan, plan); len(r.SessionSets) > 0 {
		t.Errorf("auto_explain without the server's settings: %v", r.SessionSets)
	}
}
