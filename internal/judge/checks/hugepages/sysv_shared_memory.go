package hugepages

import "github.com/pgfettle/pgfettle/internal/judge/check"

// SysvSharedMemory is about Linux, where mmap is the default; on AIX sysv is.
var SysvSharedMemory = check.Check{
	ID:       "sysv_shared_memory",
	Area:     check.HugePages,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "shared_memory_type = sysv: no huge pages",
	Why: "With shared_memory_type = sysv the server allocates its memory with shmget(), which never uses huge " +
		"pages. huge_pages = try falls back silently, and with on the server does not start. The old kernel " +
		"limits kernel.shmmax and kernel.shmall apply.",
	Do: "1. Run: ALTER SYSTEM SET shared_memory_type = 'mmap';\n" +
		"2. Restart the server.",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET shared_memory_type = 'mmap';"),
	},
	Sources: []string{"pg-config-resource", "pg-huge-pages"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("shared_memory_type"); ok && v == "sysv" {
			c.Found("shared_memory_type = sysv, shared_buffers = {sb}, huge_pages = {hp}.",
				"sb", set["shared_buffers"].Show(), "hp", set["huge_pages"].Value)
		}
	},
}
