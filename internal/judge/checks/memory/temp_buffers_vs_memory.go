package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// defaultTempBuffers is what every version ships.
const defaultTempBuffers = 8 * unit.MB

// TempBuffersVsMemory ignores the default: then max_connections is too high, which other
// checks report.
var TempBuffersVsMemory = check.Check{
	ID:        "temp_buffers_vs_memory",
	Area:      check.Memory,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "temp_buffers is too high for this memory",
	DependsOn: []string{"shared_buffers_vs_memory"},
	Why: "Each session that uses temporary tables can allocate up to temp_buffers, and keeps the memory until " +
		"it ends. With a pool of long-lived connections, as in 1C, all sessions reach that size in time. The " +
		"memory is private, and the kernel can only reclaim it by swapping.",
	Do: "1. Lower temp_buffers for the server and reload. New sessions use the new value.\n" +
		"2. Raise it for the one role that needs it: ALTER ROLE … SET temp_buffers = …\n" +
		"3. Or lower max_connections to the number in use and restart.",
	Sources: []string{"pg-config-resource", "its-1c"},
	Judge: func(c *check.Case) {
		set, ok := c.Settings()
		if !ok {
			return
		}
		limit, _ := c.Snapshot.MemoryLimit(c.Instance)
		total, ok := check.Need(c, limit)
		if !ok {
			return
		}
		each, ok1 := set.Bytes("temp_buffers")
		n, ok2 := set.Int("max_connections")
		shared, ok3 := set.Bytes("shared_buffers")
		if !ok1 || !ok2 || !ok3 || each <= defaultTempBuffers {
			return
		}
		if room := total - shared; unit.Bytes(n)*each > room {
			c.Found(
				"temp_buffers = {each} × {n} connections = {sum}; shared_buffers leaves {room} of {total} memory.",
				"n", n, "each", each.GUC(), "sum", unit.Bytes(n)*each, "room", room, "total", total)
		}
	},
}
