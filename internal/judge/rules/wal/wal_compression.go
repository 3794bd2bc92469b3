package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var WalCompression = rule.Rule{
	Address: knob.PG("wal_compression"),
	Title:   "Compression of full-page images in WAL",
	Why: "Full-page images after each checkpoint are most of the WAL of a busy server. Compression saves disk, " +
		"archive and network traffic to standbys, for CPU time of the backends. The cost of lz4 is small. The cost " +
		"of pglz is so high that pgfettle does not choose it. In TPC-B on two CPUs, both wrote 79% less WAL. The " +
		"transaction rate changed by −1.1% (95% confidence interval −4.0 to +1.8) with lz4 and by −11.1% (−15.2 to " +
		"−6.7) with pglz. With data larger than shared_buffers and almost two full-page images per transaction, pglz " +
		"lost about 25%.",
	Formula: "lz4 if the server is built with it (since 15). Any method that is set stays. The desktop profile keeps " +
		"its value.",
	Sources: []string{"pg-config-wal", "pg-release-notes", "pgfettle-measured"},
	Decide: func(c *rule.Case) {
		have, _ := c.Text(knob.PG("wal_compression"))
		fpw, known := c.Text(knob.PG("full_page_writes"))
		switch {
		case have != "off":
			c.Keep("full-page images are compressed ({present})", "present", have)
		case c.Options.Profile == rule.Desktop:
			c.Keep("a desktop writes little WAL")
		case known && fpw == "off":
			// Nothing would be compressed. That full_page_writes is off is a check's matter.
			return
		case c.Parameter.Type == "bool":
			c.Keep(
				"this version has only pglz, which takes 0.1 ms of CPU per page: worth it only if WAL disk, network " +
					"or archive is the bottleneck")
		case c.Allows("wal_compression", "lz4"):
			c.Set("lz4",
				"full-page images are most of the WAL, and the server is built with lz4, the cheapest method")
		default:
			c.Keep(
				"the server is not known to be built with lz4. pglz takes 0.1 ms of CPU per page: worth it only if " +
					"WAL disk, network or archive is the bottleneck")
		}
	},
}
