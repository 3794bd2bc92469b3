package hugepages

import "github.com/pgfettle/pgfettle/internal/judge/check"

// ThpShmemForced: advise is harmless, as PostgreSQL never calls madvise(MADV_HUGEPAGE).
var ThpShmemForced = check.Check{
	ID:       "thp_shmem_forced",
	Area:     check.HugePages,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "THP forced for shared memory (shmem_enabled)",
	Why: "transparent_hugepage/shmem_enabled applies to shared anonymous memory, which is what shared_buffers " +
		"uses without explicit huge pages. With always, within_size or force the kernel searches contiguous " +
		"memory whenever a new part of it is touched. With force this also holds for tmpfs such as /dev/shm, " +
		"where each shared segment of a parallel query then takes at least 2 MB. Explicit huge pages give the " +
		"gain without the search.",
	Do: "1. Run: echo never > /sys/kernel/mm/transparent_hugepage/shmem_enabled\n" +
		"2. Make it permanent with a line in /etc/tmpfiles.d/60-postgresql.conf: w " +
		"/sys/kernel/mm/transparent_hugepage/shmem_enabled - - - - never",
	Commands: []check.Command{
		check.Shell("echo never > /sys/kernel/mm/transparent_hugepage/shmem_enabled"),
	},
	Sources: []string{"linux-thp"},
	Judge: func(c *check.Case) {
		mode, ok := check.Need(c, c.Snapshot.Host.THP.ShmemEnabled)
		if ok && (mode == "always" || mode == "within_size" || mode == "force") {
			c.Found("/sys/kernel/mm/transparent_hugepage/shmem_enabled = {mode}.", "mode", mode)
		}
	},
}
