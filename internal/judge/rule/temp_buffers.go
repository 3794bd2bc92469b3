package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

const (
	tempDefault = 8 * unit.MB
	// tempOneC is what a vendor of 1C servers ships; the 256 MB that 1C itself
	// names, in each of hundreds of sessions and kept to their end, is more
	// memory than shared_buffers.
	tempOneC = 32 * unit.MB
	// tempPart of the memory is one session's: hundreds of them work at once.
	tempPart = 512
	// tempOfAll: all connections together may fill an eighth of what shared memory,
	// sessions and maintenance leave; sorts and hashes need the rest.
	tempOfAll = 8
)

var tempBuffers = Rule{
	Address: knob.PG("temp_buffers"),
	Title:   "a session's cache for temporary tables",
	Why: "Temporary tables live in the session's own memory, not in shared_buffers. It takes nothing before it uses its first temporary table, and " +
		"keeps what it has once taken until it ends, so the value counts for every session that ever used one.",
	Formula: "The default, 8 MB, or what it is now. 1c, which makes temporary tables in nearly every query: a 512th of the memory, from 8 to 32 MB, and no more than lets all connections fill an eighth of what shared memory, sessions and maintenance leave.",
	Sources: []string{"pg-config-resource", "postgrespro-1c", "its-1c"},
	Decide: func(c *Case) {
		if c.Options.Profile != OneC {
			c.Keep("{present} stays; a session with large temporary tables can SET more for itself", "present", c.shown())
			return
		}
		b, ok := c.Basis()
		if !ok {
			return
		}
		base := c.sizeBase(b)
		conns, known := c.Int(knob.PG("max_connections"))
		if n := c.Options.Connections; n > 0 { // max_connections itself is decided later, with this in it
			conns, known = n, true
		}
		most := tempOneC
		if known {
			most = min(most, max(roundDown(c.tempEach(b, conns), 8, unit.MB), tempDefault))
		}
		want := min(max(roundDown(base/tempPart, 8, unit.MB), tempDefault), most)
		if have, ok := c.Bytes(knob.PG("temp_buffers")); ok && have >= want && have <= most {
			c.Keep("{present} is enough for 1C", "present", c.shown())
			return
		}
		if want == most && most < tempOneC && most < base/tempPart {
			c.Set(want, "1C makes temporary tables in nearly every query, and each session keeps its cache for them to its end: an eighth of what the rest leaves, for {connections}, at least 8 MB",
				"connections", count{conns, "connection"})
			return
		}
		c.Set(want, "1C makes temporary tables in nearly every query; a 512th of {memory}, from 8 to 32 MB, as each session keeps it to its end", "memory", base)
	},
}

// tempEach is what one of so many connections may have of the eighth that all have
// together, before it is rounded.
func (c *Case) tempEach(b Basis, conns int) unit.Bytes {
	part, most, _ := c.maintenanceShare()
	base := c.sizeBase(b)
	open := unit.Bytes(max(memory.OpenOf(c.Instance, conns), 1))
	rest := b.Share() - c.nominalBuffers(b) - open*(memory.BackendBase+memory.ProcessPageTables) - min(base/part, most) - base/autovacuumPart
	return max(rest, 0) / tempOfAll / open
}
