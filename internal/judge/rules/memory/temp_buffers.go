package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var TempBuffers = rule.Rule{
	Address: knob.PG("temp_buffers"),
	Title:   "a session's cache for temporary tables",
	Why: "Temporary tables live in the session's own memory, not in shared_buffers. It takes nothing before it uses " +
		"its first temporary table, and " +
		"keeps what it has once taken until it ends, so the value counts for every session that ever used one.",
	Formula: "The default, 8 MB, or what it is now. 1c, which makes temporary tables in nearly every query: a 512th " +
		"of the memory, from 8 to 32 MB, and no more than lets all connections fill an eighth of what shared " +
		"memory, sessions and maintenance leave.",
	Sources: []string{"pg-config-resource", "postgrespro-1c", "its-1c"},
	Decide: func(c *rule.Case) {
		if c.Options.Profile != rule.OneC {
			c.Keep("{present} stays; a session with large temporary tables can SET more for itself",
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
				"1C makes temporary tables in nearly every query, and each session keeps its cache for them to its "+
					"end: an eighth of what the rest leaves, for {connections}, at least 8 MB",
				"connections", say.N(conns, "{n} connection", "{n} connections"))
			return
		}
		c.Set(want,
			"1C makes temporary tables in nearly every query; a 512th of {memory}, from 8 to 32 MB, as each session "+
				"keeps it to its end", "memory", base)
	},
}
