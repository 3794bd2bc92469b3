package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var WalCompression = rule.Rule{
	Address: knob.PG("wal_compression"),
	Title:   "whether whole pages are compressed in the WAL",
	Why: "The whole pages that follow each checkpoint are most of the WAL of a busy server. Compressed they take a " +
		"fraction of the disk, the network to the standbys, " +
		"and the archive, for processor time in the backend that writes them. lz4 costs next to nothing, and pglz, " +
		"which is in every build, so much that it has to be somebody's choice: " +
		"on two processors TPC-B wrote 79 % less WAL with either, with lz4 at as many transactions a second (−1.1 " +
		"%, 95 % interval −4.0 to +1.8), with pglz at fewer (−11.1 %, −15.2 to −6.7); " +
		"where the data did not fit into shared buffers, and a transaction wrote nearly two pages, it lost about a " +
		"quarter.",
	Formula: "lz4 where the server's build has it (15+), else what is set. Any method that is set stays. The " +
		"desktop profile keeps what it has.",
	Sources: []string{"pg-config-wal", "pg-release-notes", "pgfettle-measured"},
	Decide: func(c *rule.Case) {
		have, _ := c.Text(knob.PG("wal_compression"))
		fpw, known := c.Text(knob.PG("full_page_writes"))
		switch {
		case have != "off":
			c.Keep("whole pages are compressed ({present})", "present", have)
		case c.Options.Profile == rule.Desktop:
			c.Keep("a desktop writes too little WAL for it to matter")
		case known && fpw == "off":
			// Nothing would be compressed. That full_page_writes is off is a check's matter.
			return
		case c.Parameter.Type == "bool":
			c.Keep(
				"this version compresses whole pages with pglz only, which takes a tenth of a millisecond of a " +
					"processor for each: worth it where the WAL's disk, network or archive is what is short")
		case c.Allows("wal_compression", "lz4"):
			c.Set("lz4",
				"whole pages after each checkpoint are most of the WAL, and this server's build has lz4, the "+
					"cheapest method")
		default:
			c.Keep(
				"this server's build is not known to have lz4, and pglz takes a tenth of a millisecond of a " +
					"processor for each page: worth it where the WAL's disk, network or archive is what is short")
		}
	},
}
