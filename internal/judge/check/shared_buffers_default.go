package check

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// initdbBuffers is what initdb writes on every machine.
	initdbBuffers = limits.InitdbBuffers
	// bigEnough: on 4 GB the default is 3 % of the memory, an eighth of what the
	// manual starts with; below, the difference is small change.
	bigEnough = 4 * unit.GB
)

// SharedBuffersDefault looks only for the default that nobody has touched; a
// small value that somebody chose is the plan's matter.
var SharedBuffersDefault = Check{
	ID:       "shared_buffers_default",
	Area:     Memory,
	Severity: Notice,
	Scope:    PerInstance,
	Title:    "shared_buffers is still what initdb wrote",
	Why: "128 MB is chosen to start on any machine. With so few buffers pages that are used all the time are evicted and fetched from the kernel again and again, and " +
		"dirty ones are written by the backends themselves in the middle of a query.",
	Do:      "Start with a quarter of the memory, restart, and watch the buffers that backends write themselves.",
	Sources: []string{"pg-config-resource"},
	Judge: func(c *Case) {
		set, ok := Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		limit, _ := c.Snapshot.MemoryLimit(c.Instance)
		total, ok := Need(c, limit)
		if !ok {
			return
		}
		if b, ok := set.Bytes("shared_buffers"); ok && b <= initdbBuffers && total >= bigEnough && !c.buffersSuffice(b) {
			c.FoundDo(Notice, "On a host that is there for this server run ALTER SYSTEM SET shared_buffers = '{quarter}' (a quarter of the memory) and restart; "+
				"pgfettle plan computes it together with huge pages and work_mem.",
				"shared_buffers = {buffers} on {total} of memory ({share}).",
				"buffers", b.GUC(), "total", total, "share", share(b, total), "quarter", (total / 4).RoundDown(256*unit.MB).GUC())
		}
	},
}

// buffersSuffice says whether what the server counted for a day tells that no more buffers
// are of use: the databases fit, nearly all pages were found, or some were never used.
func (c *Case) buffersSuffice(b unit.Bytes) bool {
	if u, ok := c.Instance.Server.BufferCache.Get(); ok && u.Secs >= limits.Day && u.Used > 0 &&
		float64(u.Unused) >= limits.BuffersUnused*float64(u.Used+u.Unused) {
		return true
	}
	list, _ := c.Instance.Server.Databases.Get()
	sum, sized := unit.Bytes(0), len(list) > 0
	hit, read := 0.0, 0.0
	for _, d := range list {
		size, known := d.Size.Get()
		sum, sized = sum+max(size, 0), sized && known
		if secs, ok := c.Instance.Server.CountedFor(d); ok && secs >= limits.Day {
			hit += max(float64(d.BlocksHit), 0) / secs
			read += max(float64(d.BlocksRead), 0) / secs
		}
	}
	all := hit + read
	return sized && sum.Scale(limits.BuffersRoomToGrow) <= b || all >= limits.BuffersBusy && hit >= limits.BuffersHit*all
}
