package kernel

import "github.com/pgfettle/pgfettle/internal/judge/check"

// ThpAlways is a notice: it is the default of most distributions, and its harm is
// intermittent.
var ThpAlways = check.Check{
	ID:       "thp_always",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Transparent huge pages (THP) are set to always",
	Why: "With THP set to always, the kernel uses 2 MB pages for private memory of every process and compacts " +
		"memory to find them, at times in the middle of a query. That shows as unexplained latency and as backends " +
		"that hold far more memory than they use. Shared buffers gain nothing: they need explicit huge pages. The " +
		"PostgreSQL manual discourages THP.",
	Do: "1. Run: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled\n" +
		"2. Make it permanent with transparent_hugepage=madvise on the kernel command line. Or add a line in " +
		"/etc/tmpfiles.d/60-postgresql.conf: w /sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\n" +
		"If TuneD runs, set it in its profile. The change affects new memory only; existing huge pages stay " +
		"until their process exits.",
	Commands: []check.Command{
		check.Shell("echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"),
	},
	Sources: []string{"pg-huge-pages", "linux-thp", "dalibo-j1"},
	Judge: func(c *check.Case) {
		mode, ok := check.Need(c, c.Snapshot.Host.THP.Enabled)
		if !ok || mode != "always" {
			return
		}
		if mem, ok := c.Snapshot.Host.Memory.Get(); ok {
			if anon, ok := mem.Line("AnonHugePages"); ok && anon > 0 {
				c.Found(
					"/sys/kernel/mm/transparent_hugepage/enabled = always; {anon} of private memory is in THP now "+
						"(AnonHugePages).", "anon", anon)
				return
			}
		}
		c.Found("/sys/kernel/mm/transparent_hugepage/enabled = always.")
	},
}
