package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var TempBuffers = rule.Rule{
	Address: knob.PG("temp_buffers"),
	Title:   "Buffers for temporary tables, per session",
	Why: "Temporary tables use private memory of the session, not shared_buffers. It is allocated when the session " +
		"first uses temporary tables and is kept for the life of the session, so it counts for every session that " +
		"has used one.",
	Formula: "The present value; the default is 8 MB. 1c, which uses temporary tables in almost every query: 1/512 " +
		"of memory, from 8 to 32 MB. All connections together may fill at most 1/8 of what shared memory, sessions " +
		"and maintenance leave.",
	Sources: []string{"pg-config-resource", "postgrespro-1c", "its-1c"},
	Decide: func(c *rule.Case) {
		if c.Options.Profile != rule.OneC {
			c.Keep("{present} stays; sessions with large temporary tables can SET more",
				"present", c.Shown())
			return
		}
		b, ok := c.Basis()
		if !ok {
			return
		}
		base := sizing.SizeBase(c, b)
		conns, known := c.Int(knob.PG("max_connections"))
		if n := c.Options.Connections; n > 0 { // max_connections itself is decided later, with this in it
			conns, known = n, true
		}
		most := sizing.TempOneC
		if known {
			most = min(most, max(sizing.RoundDown(sizing.TempEach(c, b, conns), 8, unit.MB), sizing.TempDefault))
		}
		want := min(max(sizing.RoundDown(base/sizing.TempPart, 8, unit.MB), sizing.TempDefault), most)
		if have, ok := c.Bytes(knob.PG("temp_buffers")); ok && have >= want && have <= most {
			c.Keep("{present} is enough for 1C", "present", c.Shown())
			return
		}
		if want == most && most < sizing.TempOneC && most < base/sizing.TempPart {
			c.Set(want,
				"1C uses temporary tables in almost every query, and each session keeps these buffers: 1/8 of the "+
					"remaining memory for {connections}, at least 8 MB each",
				"connections", connections(conns))
			return
		}
		c.Set(want,
			"1C uses temporary tables in almost every query: 1/512 of {memory}, from 8 to 32 MB, because each "+
				"session keeps these buffers", "memory", base)
	},
}
