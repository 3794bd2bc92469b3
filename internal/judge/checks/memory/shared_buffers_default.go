package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// bigEnough: on 4 GB the default is 3 % of the memory, an eighth of what the
	// manual starts with; below, the difference is small change.
	bigEnough = 4 * unit.GB
)

// SharedBuffersDefault looks only for the default that nobody has touched; a
// small value that somebody chose is the plan's matter.
var SharedBuffersDefault = check.Check{
	ID:       "shared_buffers_default",
	Area:     check.Memory,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	Title:    "shared_buffers is still at its default",
	Why: "The default of 128 MB is chosen to start on any host. With so few buffers, hot pages are evicted and " +
		"read again from the page cache. Backends write dirty buffers themselves, in the middle of a query.",
	Do: "Start with 25% of RAM, restart, and watch the buffers that backends write themselves (pg_stat_io in " +
		"PostgreSQL 16 and later, before that\n" +
		"buffers_backend in pg_stat_bgwriter).",
	Commands: []check.Command{
		check.SQL("ALTER SYSTEM SET shared_buffers = '{planned}'"),
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
			const seen = "shared_buffers = {buffers} on {total} of memory ({share})."
			planned, changes := c.PlannedBuffers()
			switch {
			case changes:
				c.FoundDo(check.Notice,
					"On a host that is there for this server run ALTER SYSTEM SET shared_buffers = '{planned}' and "+
						"restart; "+
						"pgfettle plan computes it together with huge pages and work_mem.", seen, "buffers", b.GUC(),
					"total", total, "share", check.PercentOf(b, total), "planned", planned)
			case planned == "":
				c.Found(seen, "buffers", b.GUC(), "total", total, "share", check.PercentOf(b, total))
			}
			// Else the plan keeps it: evidence says that it is enough, or a person pinned it.
		}
	},
}
