package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

const (
	// buffersTooMuch leaves less than the rest of a server needs: backends and
	// their page tables, work_mem, the kernel and some page cache take a third of
	// RAM on any host in use.
	buffersTooMuch = 70
)

// SharedBuffersVsMemory compares with the limit of the cgroup if there is one: a
// container has no more, whatever /proc/meminfo shows. Shared memory in huge pages
// is not charged to it.
var SharedBuffersVsMemory = check.Check{
	ID:       "shared_buffers_vs_memory",
	Area:     check.Memory,
	Severity: check.Warning,
	Scope:    check.PerInstance,
	Title:    "shared_buffers is too large for this memory",
	Why: "Unlike the page cache, shared_buffers does not shrink under memory pressure. Its memory is missing " +
		"for work_mem, page tables, the kernel and the page cache, which holds many of the same pages a " +
		"second time. Beyond the limit the host swaps, or the OOM killer kills a backend and all sessions are " +
		"disconnected.",
	Do:      "Lower shared_buffers to about 25% of memory and restart the server.",
	Sources: []string{"pg-config-resource", "dalibo-j1"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		limit, limited := c.Snapshot.MemoryLimit(c.Instance)
		if memory.Outside(c.Snapshot, c.Instance) {
			// Huge pages are not charged to the cgroup: RAM is their limit.
			limit, limited = c.Snapshot.MemoryLimit(nil)
		}
		total, ok := check.Need(c, limit)
		if !ok {
			return
		}
		b, ok := set.Bytes("shared_buffers")
		if !ok || !check.AtLeast(b, limits.BuffersMuch, total) || total == 0 {
			return
		}
		sev := check.Warning
		if check.AtLeast(b, buffersTooMuch, total) {
			sev = check.Critical
		}
		seen := say.Template("shared_buffers = {buffers}, {share} of {total} RAM.")
		if limited {
			seen = "shared_buffers = {buffers}, {share} of the {total} that the cgroup allows."
		}
		planned, changes := c.PlannedBuffers()
		if !changes {
			c.FoundAs(sev, seen, "buffers", b.GUC(), "share", check.PercentOf(b, total), "total", total)
			return
		}
		c.FoundDo(sev,
			"1. Use the value of pgfettle plan: ALTER SYSTEM SET shared_buffers = '{planned}';\n"+
				"2. Restart the server.\n"+
				"More than 40% of memory rarely helps.",
			seen, "buffers", b.GUC(), "share", check.PercentOf(b, total), "total", total, "planned", planned)
	},
}
