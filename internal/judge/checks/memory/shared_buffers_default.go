package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// bigEnough: on 4 GB the default is 3% of RAM, an eighth of what the manual
	// starts with; below, the difference matters little.
	bigEnough = 4 * unit.GB
)

// SharedBuffersDefault finds only the untouched default; a small value that
// was chosen is for the plan to judge.
var SharedBuffersDefault = check.Check{
	ID:       "shared_buffers_default",
	Area:     check.Memory,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "shared_buffers is still at its default",
	Why: "The default of 128 MB is chosen to start on any host. With so few buffers, hot pages are evicted and " +
		"read again from the page cache. Backends write dirty buffers themselves, in the middle of a query.",
	Do: "Start with 25% of RAM, restart, and watch the buffers that backends write themselves (pg_stat_io in " +
		"PostgreSQL 16 and later, in earlier versions buffers_backend in pg_stat_bgwriter).",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET shared_buffers = '{planned}';"),
	},
	Sources: []string{"pg-config-resource"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		limit, _ := c.Snapshot.MemoryLimit(c.Instance)
		total, ok := check.Need(c, limit)
		if !ok {
			return
		}
		if b, ok := set.Bytes("shared_buffers"); ok && b <= limits.InitdbBuffers && total >= bigEnough {
			const seen = "shared_buffers = {buffers}, {share} of {total} memory."
			planned, changes := c.PlannedBuffers()
			switch {
			case changes:
				c.FoundDo(check.Notice,
					"1. On a host for this server only, run: ALTER SYSTEM SET shared_buffers = '{planned}';\n"+
						"2. Restart the server.\n"+
						"pgfettle plan computes the value together with huge pages and work_mem.", seen, "buffers",
					b.GUC(), "total", total, "share", check.PercentOf(b, total), "planned", planned)
			case planned == "":
				c.Found(seen, "buffers", b.GUC(), "total", total, "share", check.PercentOf(b, total))
			}
			// Else the plan keeps it: evidence says that it is enough, or a person pinned it.
		}
	},
}
