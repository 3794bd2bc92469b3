package configuration

import "github.com/pgfettle/pgfettle/internal/judge/check"

// developerAids are parameters that no production server has use for.
var developerAids = []string{
	"debug_discard_caches", "wal_consistency_checking", "debug_print_parse", "debug_print_rewritten",
	"debug_print_plan",
	"debug_io_direct", "debug_parallel_query", "force_parallel_mode", "log_parser_stats", "log_planner_stats",
	"log_executor_stats", "log_statement_stats",
	"trace_locks", "trace_lwlocks", "wal_debug",
}

// DebugBuild holds only what costs something or fills the log in production.
var DebugBuild = check.Check{
	ID:       "debug_build",
	Area:     check.Config,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Aids for developers are switched on",
	Why: "They check or write what only somebody who works on PostgreSQL itself reads. A build with assertions is " +
		"several times slower and stops " +
		"the server where a release build would go on; wal_consistency_checking adds whole pages to the WAL; the " +
		"caches' and executor's " +
		"statistics fill the log.",
	Do: "Install the packages of your distribution or of the PGDG in place of a build with --enable-cassert; ALTER " +
		"SYSTEM RESET the other named " +
		"parameters and reload.",
	Sources: []string{"pg-config-developer", "pg-config-logging"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		var on []string
		if v, _ := set.Text("debug_assertions"); v == "on" {
			on = append(on, "the server is built with assertions")
		}
		for _, name := range developerAids {
			if v, ok := set.Text(name); ok && v != "" && v != "off" && v != "0" {
				on = append(on, name+" = "+v)
			}
		}
		if len(on) > 0 {
			c.Found("{on}.", "on", check.Join(on, ", ", 5))
		}
	},
}
