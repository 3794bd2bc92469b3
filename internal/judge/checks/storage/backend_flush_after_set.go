package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// BackendFlushAfterSet is only info: some workloads benefit from the setting.
var BackendFlushAfterSet = check.Check{
	ID:       "backend_flush_after_set",
	Area:     check.Storage,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "backend_flush_after is set server-wide",
	Why: "With backend_flush_after, each backend makes the kernel write its dirty pages to the device soon after " +
		"it wrote them. This keeps a bulk load from filling the page cache with dirty pages. If the database is " +
		"larger than shared_buffers and smaller than RAM, throughput can drop: pages that would change again " +
		"before writeback are written each time.",
	Do: "1. Reset backend_flush_after (reload): ALTER SYSTEM RESET backend_flush_after; SELECT pg_reload_conf();\n2. " +
		"Limit dirty pages for the whole host instead: vm.dirty_background_bytes and vm.dirty_bytes (pgfettle plan " +
		"shows values).\n3. For a bulk load, use SET backend_flush_after in that session only.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM RESET backend_flush_after;"),
		check.SQL("SELECT pg_reload_conf();"),
	},
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if n, ok := set.Int("backend_flush_after"); ok && n > 0 {
			c.Found("backend_flush_after = {v} for the whole server.", "v", set["backend_flush_after"].Show())
		}
	},
}
