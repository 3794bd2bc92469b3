package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// defaultTempBuffers is what every version ships.
const defaultTempBuffers = 8 * unit.MB

// TempBuffersVsMemory leaves the default alone: with it, it is the number of connections that is
// wrong, and other checks tell that.
var TempBuffersVsMemory = check.Check{
	ID:        "temp_buffers_vs_memory",
	Area:      check.Memory,
	Severity:  check.Warning,
	Scope:     check.PerInstance,
	Title:     "temp_buffers of all sessions exceed the memory",
	DependsOn: []string{"shared_buffers_vs_memory"},
	Why: "Each session that touches temporary tables may fill temp_buffers of its own, and gives nothing back until " +
		"it ends. With a pool of " +
		"long-lived connections, as 1C keeps it, all sessions arrive there in time. This memory is not shared and " +
		"not reclaimable except to " +
		"swap.",
	Do: "Lower temp_buffers for the server and raise it for the one role that needs it (ALTER ROLE … SET " +
		"temp_buffers = …), or lower " +
		"max_connections to what is really used. The change is for new sessions.",
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
				"{n} connections with temp_buffers = {each} may hold {sum} for good; {room} of {total} is left "+
					"beside shared_buffers.",
				"n", n, "each", each, "sum", unit.Bytes(n)*each, "room", room, "total", total)
		}
	},
}
