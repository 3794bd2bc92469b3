package hugepages

import "github.com/pgfettle/pgfettle/internal/judge/check"

// ThpShmemForced: advise is harmless, as PostgreSQL never advises.
var ThpShmemForced = check.Check{
	ID:       "thp_shmem_forced",
	Area:     check.HugePages,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Transparent huge pages are forced on shared memory",
	Why: "transparent_hugepage/shmem_enabled governs shared anonymous memory, which is what shared_buffers is " +
		"without explicit huge pages, and /dev/shm. Set to always, within_size or force, the kernel looks for " +
		"contiguous memory whenever a new part of it is touched, and every parallel query's segment takes 2 MB at " +
		"least. Explicit huge pages give the gain without the search.",
	Do: "Run echo never > /sys/kernel/mm/transparent_hugepage/shmem_enabled and make it last with a line \"w " +
		"/sys/kernel/mm/transparent_hugepage/shmem_enabled - - - - never\" in /etc/tmpfiles.d/60-postgresql.conf.",
	Commands: []check.Command{
		check.Shell("echo never > /sys/kernel/mm/transparent_hugepage/shmem_enabled"),
	},
	Sources: []string{"linux-thp"},
	Judge: func(c *check.Case) {
		mode, ok := check.Need(c, c.Snapshot.Host.THP.ShmemEnabled)
		if ok && (mode == "always" || mode == "within_size" || mode == "force") {
			c.Found("transparent_hugepage/shmem_enabled is {mode}.", "mode", mode)
		}
	},
}
