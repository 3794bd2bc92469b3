package kernel

import "github.com/pgfettle/pgfettle/internal/judge/check"

// ThpAlways is a notice: most servers live with it, as most distributions ship
// it, and its harm comes in phases.
var ThpAlways = check.Check{
	ID:       "thp_always",
	Area:     check.Kernel,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Transparent huge pages are on for every process",
	Why: "With always the kernel hands out 2 MB pages for ordinary private memory and compacts memory to find them, " +
		"at times in the middle of a query, " +
		"which shows as latency without a cause and as backends that hold far more memory than they use. Shared " +
		"buffers gain nothing from " +
		"it: they need explicit huge pages. PostgreSQL's manual advises against it.",
	Do: "Run echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (new memory only; existing pages stay until " +
		"their process ends) and make it last with " +
		"transparent_hugepage=madvise on the kernel command line, or with a line \"w " +
		"/sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\" in " +
		"/etc/tmpfiles.d/60-postgresql.conf. Where tuned runs, its profile sets it.",
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
					"transparent_hugepage/enabled is always; {anon} of private memory is in transparent huge pages "+
						"now.", "anon", anon)
				return
			}
		}
		c.Found("transparent_hugepage/enabled is always.")
	},
}
