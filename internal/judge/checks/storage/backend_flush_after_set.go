package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// BackendFlushAfterSet is no more than an information: there are loads that it helps.
var BackendFlushAfterSet = check.Check{
	ID:       "backend_flush_after_set",
	Area:     check.Storage,
	Severity: check.Info,
	Scope:    check.PerInstance,
	Title:    "Backends ask the kernel to write at once",
	Why: "backend_flush_after makes each backend push what it wrote out of the page cache to the device. It keeps a " +
		"bulk load from filling the " +
		"cache with dirty pages. For a database larger than shared_buffers and smaller than the memory it hurts: " +
		"pages that would be changed " +
		"again before the kernel wrote them are written each time.",
	Do: "ALTER SYSTEM RESET backend_flush_after; SELECT pg_reload_conf(); and bound dirty pages for the whole host " +
		"instead: " +
		"vm.dirty_background_bytes and vm.dirty_bytes (pgfettle plan gives them). For a bulk load, SET " +
		"backend_flush_after in its session.",
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
