package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// DsmMmap does not judge sysv: it works, within the kernel's limits.
var DsmMmap = check.Check{
	ID:       "dsm_mmap",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "dynamic_shared_memory_type = mmap causes disk I/O",
	Why: "With dynamic_shared_memory_type = mmap, parallel workers share memory through files in pg_dynshmem in " +
		"the data directory. The kernel writes these files to disk like any other file, so each parallel query " +
		"causes additional I/O.",
	Do: "1. In a container, first enlarge /dev/shm, for example with docker run --shm-size=1g.\n" +
		"2. Use POSIX shared memory (restart): ALTER SYSTEM SET dynamic_shared_memory_type = 'posix';",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET dynamic_shared_memory_type = 'posix';"),
	},
	Sources: []string{"pg-config-resource"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		if v, ok := set.Text("dynamic_shared_memory_type"); ok && v == "mmap" {
			sev := check.Warning
			if v, ok := c.Snapshot.Host.Virt.Get(); !ok || v.Container != "" {
				sev = check.Info // posix may not fit its /dev/shm, so a plan leaves it
			}
			c.FoundAs(sev, "dynamic_shared_memory_type = mmap with max_parallel_workers = {n}.", "n",
				set["max_parallel_workers"].Value)
		}
	},
}
