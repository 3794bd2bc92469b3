package configuration

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// developerAids are parameters that no production server has use for.
var developerAids = []string{
	"debug_discard_caches", "wal_consistency_checking", "debug_print_parse", "debug_print_rewritten",
	"debug_print_plan",
	"debug_io_direct", "debug_parallel_query", "force_parallel_mode", "log_parser_stats", "log_planner_stats",
	"log_executor_stats", "log_statement_stats",
	"trace_locks", "trace_lwlocks", "wal_debug",
}

// DebugBuild covers only what costs performance or fills the log in production.
var DebugBuild = check.Check{
	ID:       "debug_build",
	Area:     check.Config,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Assertion-enabled build or developer options in use",
	Why: "These options help only to develop PostgreSQL itself. A build with assertions is several times " +
		"slower, and it stops the server where a release build would continue. wal_consistency_checking adds " +
		"full pages to the WAL, and the statistics options (log_*_stats) fill the log.",
	Do: "Replace a build with --enable-cassert by the packages of your distribution or of the PGDG. Remove the " +
		"other named settings from postgresql.conf, or run ALTER SYSTEM RESET for each of them, and reload. " +
		"debug_io_direct requires a restart.",
	Sources: []string{"pg-config-developer", "pg-config-logging"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var on []string
		if v, _ := set.Text("debug_assertions"); v == "on" {
			on = append(on, "debug_assertions = on")
		}
		for _, name := range developerAids {
			if v, ok := set.Text(name); ok && v != "" && v != "off" && v != "0" {
				on = append(on, name+" = "+v)
			}
		}
		if len(on) > 0 {
			c.Found("{on}.", "on", say.Names(on, 5))
		}
	},
}
