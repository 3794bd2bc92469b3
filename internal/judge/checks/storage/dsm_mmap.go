package storage

import "github.com/pgfettle/pgfettle/internal/judge/check"

// DsmMmap does not judge sysv: it works, within the kernel's limits.
var DsmMmap = check.Check{
	ID:       "dsm_mmap",
	Area:     check.Storage,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "Parallel queries exchange rows through files",
	Why: "dynamic_shared_memory_type = mmap puts what parallel workers share into files under pg_dynshmem in the " +
		"data directory. The kernel " +
		"writes them to disk like any other file, so each parallel query makes I/O beside its own.",
	Do: "ALTER SYSTEM SET dynamic_shared_memory_type = 'posix'; and restart; in a container give /dev/shm room " +
		"(docker run --shm-size=1g) rather " +
		"than going round it.",
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
